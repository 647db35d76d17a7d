package dev.sheaf;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Holds back what the current thread writes, grouped by node connection, until it ends: then each
 * connection gets its part at once, and so writes it at once.
 *
 * <p>Without it the event loop would begin with the first key of a hundred while the rest is still
 * being routed. Confined to the thread that runs in it; an inner one is part of the outer one.
 */
final class Corked {

  private static final ThreadLocal<@Nullable Corked> CURRENT = new ThreadLocal<>();

  private final Map<CoalescingWriter, Chain> held = new LinkedHashMap<>();

  private Corked() {}

  /** Runs what writes commands, then releases these. */
  static void run(Runnable writes) {
    if (CURRENT.get() != null) {
      writes.run();
      return;
    }
    Corked corked = new Corked();
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
  static void release() {
    Corked corked = CURRENT.get();
    if (corked != null) {
      corked.submit();
    }
  }

  /** Runs a call that both writes and waits, so that nothing it writes is held back. */
  static <T extends @Nullable Object> T releasedDuring(Callable<T> call) throws Exception {
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
    List<Map.Entry<CoalescingWriter, Chain>> chains = List.copyOf(held.entrySet());
    held.clear();
    chains.forEach(chain -> chain.getKey().submit(chain.getValue()));
  }

  /** The one that the current thread runs in, or null. */
  static @Nullable Corked current() {
    return CURRENT.get();
  }

  void hold(CoalescingWriter writer, Outgoing<?, ?, ?> command) {
    held.computeIfAbsent(writer, w -> new Chain()).append(command);
  }
}
