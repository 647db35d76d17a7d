package dev.sheaf.internal.engine;

import dev.sheaf.internal.command.Chain;
import dev.sheaf.internal.command.Outgoing;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Holds back what the current thread writes, grouped by node connection, until it ends: then each
 * connection gets its part at once, and so writes it at once.
 *
 * <p>Without it the event loop would begin with the first key of a hundred while the rest is still
 * being routed. Confined to the thread that runs in it; an inner one is part of the outer one.
 */
public final class Corked {

  private static final ThreadLocal<@Nullable Corked> CURRENT = new ThreadLocal<>();

  private final Map<NodePipeline, Chain> held = new LinkedHashMap<>();

  private final Release release;

  private long heldBytes;
  private final Set<Object> marks = new HashSet<>();

  /** How what was held back is sent. */
  private interface Release {
    /**
     * Sends the part of one node.
     *
     * @param beganNanos when the sending of all parts began, by System.nanoTime
     */
    void send(NodePipeline pipeline, Chain chain, long beganNanos);
  }

  private Corked(Release release) {
    this.release = release;
  }

  /** Runs what writes commands, then releases these; what finds no room fails. */
  public static void run(Runnable writes) {
    run(writes, (pipeline, chain, beganNanos) -> pipeline.entrance().submit(chain));
  }

  /** Runs what writes commands, then releases these, waiting for room at most the given time. */
  public static void runBlocking(Runnable writes, Duration timeout) {
    run(
        writes,
        (pipeline, chain, beganNanos) ->
            pipeline.entrance().submitWaiting(chain, beganNanos, beganNanos + timeout.toNanos()));
  }

  private static void run(Runnable writes, Release release) {
    if (CURRENT.get() != null) {
      writes.run();
      return;
    }
    Corked corked = new Corked(release);
    CURRENT.set(corked);
    try {
      writes.run();
    } finally {
      CURRENT.remove();
      corked.submit();
    }
  }

  /**
   * Sends what the current thread holds back, because it is about to wait. What it writes later is
   * held back again.
   */
  public static void release() {
    Corked corked = CURRENT.get();
    if (corked != null) {
      corked.submit();
    }
  }

  /** Sends what the current thread holds back, if its requests have that many bytes together. */
  public static void releaseFrom(long bytes) {
    Corked corked = CURRENT.get();
    if (corked != null && corked.heldBytes >= bytes) {
      corked.submit();
    }
  }

  /** Runs a call that both writes and waits, so that nothing it writes is held back. */
  public static <T extends @Nullable Object> T releasedDuring(Callable<T> call) throws Exception {
    Corked corked = CURRENT.get();
    if (corked == null) {
      return call.call();
    }
    corked.submit();
    CURRENT.remove();
    try {
      return call.call();
    } finally {
      CURRENT.set(corked);
    }
  }

  private void submit() {
    Map<NodePipeline, Chain> chains = new LinkedHashMap<>(held);
    held.clear();
    heldBytes = 0;
    long beganNanos = System.nanoTime();
    chains.forEach((pipeline, chain) -> release.send(pipeline, chain, beganNanos));
  }

  /** The one that the current thread runs in, or null. */
  public static @Nullable Corked current() {
    return CURRENT.get();
  }

  /** Whether the current thread holds back, and this mark is new to what it holds. */
  public static boolean isFirst(Object mark) {
    Corked corked = CURRENT.get();
    return corked != null && corked.marks.add(mark);
  }

  public void hold(NodePipeline pipeline, Outgoing<?, ?, ?> command) {
    held.computeIfAbsent(pipeline, p -> new Chain()).append(command);
    heldBytes += command.requestBytes();
  }
}
