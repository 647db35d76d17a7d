// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.pipeline.PendingQueue.Chain;
import io.lettuce.core.protocol.RedisCommand;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What the current thread writes and has not sent yet, by node connection.
 *
 * <p>There are two kinds. A <em>batch</em> gathers what is written until it ends, so that each
 * connection gets its part at once and writes it at once. A <em>blocking call</em> gathers what the
 * call writes until it waits: then the caller may drive the event loop itself, and write and read
 * without another thread.
 *
 * <p>Confined to its thread. A batch inside a batch is part of it; a blocking call inside a batch
 * sends first what the batch holds, since its reply may depend on that.
 */
public final class WriteScope {

  private static final ThreadLocal<@Nullable WriteScope> CURRENT = new ThreadLocal<>();

  /** How long what finds no room waits for it; 0 if it fails at once. */
  private final long roomNanos;

  /** How many callers of the client block; null if this is no blocking call. */
  private final @Nullable AtomicInteger blockedCallers;

  /** The connection whose event loop this thread drives. */
  private @Nullable NodePipeline driven;

  private @Nullable DrivenEventLoop drivenLoop;

  private @Nullable NodePipeline pipeline;
  private @Nullable Chain chain;

  /** What was written to last. */
  private @Nullable NodePipeline last;

  /** The parts of further connections. */
  private @Nullable Map<NodePipeline, Chain> more;

  private @Nullable Set<Object> marks;

  /** When its commands were called, by System.nanoTime, if that was before it began; else 0. */
  private final long calledNanos;

  private WriteScope(long roomNanos, @Nullable AtomicInteger blockedCallers, long calledNanos) {
    this.roomNanos = roomNanos;
    this.blockedCallers = blockedCallers;
    this.calledNanos = calledNanos;
  }

  /** Runs what writes commands, then sends these; what finds no room fails. */
  public static void run(Runnable writes) {
    run(writes, 0);
  }

  /** Runs what writes commands, then sends these, waiting for room at most the given time. */
  public static void runBlocking(Runnable writes, Duration timeout) {
    run(writes, timeout.toNanos());
  }

  /**
   * Runs what writes commands as a part of what the current thread holds back, of a blocking call
   * too, so that both leave in one write; sends them if it holds nothing back.
   */
  public static void join(Runnable writes) {
    if (CURRENT.get() == null) {
      run(writes, 0);
    } else {
      writes.run();
    }
  }

  private static void run(Runnable writes, long roomNanos) {
    WriteScope outer = CURRENT.get();
    if (outer != null && (outer.blockedCallers == null || roomNanos > 0)) {
      writes.run();
      return;
    }
    gather(writes, new WriteScope(roomNanos, null, 0), outer);
  }

  /**
   * As {@link #runBlocking}, for what writes commands that were called earlier.
   *
   * @param calledNanos when, by System.nanoTime
   */
  public static void runLate(Runnable writes, long calledNanos, Duration timeout) {
    gather(writes, new WriteScope(timeout.toNanos(), null, calledNanos), CURRENT.get());
  }

  private static void gather(Runnable writes, WriteScope corked, @Nullable WriteScope outer) {
    CURRENT.set(corked);
    try {
      writes.run();
    } finally {
      CURRENT.set(outer);
      corked.submit();
    }
  }

  /**
   * Runs a call that writes commands and then waits for their replies, by what {@link #await} is
   * part of. The calling thread may drive the event loop while it waits.
   *
   * @param timeout how long the call may wait for room in a full queue
   */
  public static <T extends @Nullable Object> T call(
      AtomicInteger blockedCallers, Duration timeout, Callable<T> call) throws Exception {
    WriteScope outer = CURRENT.get();
    if (outer != null && outer.blockedCallers != null) {
      return call.call();
    }
    WriteScope corked = begin(outer, blockedCallers, timeout);
    try {
      return call.call();
    } finally {
      corked.end(outer, blockedCallers);
    }
  }

  /** As {@link #call}, for what throws nothing checked. */
  public static <T extends @Nullable Object> T supply(
      AtomicInteger blockedCallers, Duration timeout, Supplier<T> call) {
    WriteScope outer = CURRENT.get();
    if (outer != null && outer.blockedCallers != null) {
      return call.get();
    }
    WriteScope corked = begin(outer, blockedCallers, timeout);
    try {
      return call.get();
    } finally {
      corked.end(outer, blockedCallers);
    }
  }

  /**
   * Runs a call that waits for replies by other ways than {@link #await}: nothing is held back
   * meanwhile.
   */
  public static <T extends @Nullable Object> T pass(Callable<T> call) throws Exception {
    WriteScope outer = CURRENT.get();
    if (outer == null) {
      return call.call();
    }
    outer.submit();
    CURRENT.remove();
    try {
      return call.call();
    } finally {
      CURRENT.set(outer);
    }
  }

  private static WriteScope begin(
      @Nullable WriteScope outer, AtomicInteger blockedCallers, Duration timeout) {
    if (outer != null) {
      outer.submit();
    }
    WriteScope corked = new WriteScope(timeout.toNanos(), blockedCallers, 0);
    CURRENT.set(corked);
    blockedCallers.incrementAndGet();
    return corked;
  }

  private void end(@Nullable WriteScope outer, AtomicInteger blockedCallers) {
    blockedCallers.decrementAndGet();
    CURRENT.set(outer);
    submit();
  }

  /**
   * Sends what the current thread holds back, because it is about to wait, and drives the event
   * loop, if it may, until something is done.
   *
   * @param done what the thread waits for; completed by any thread
   * @param deadlineNanos when it stops waiting, by System.nanoTime
   * @return whether it is done; if not, the thread has to wait as if this had not been called
   */
  public static boolean await(CompletableFuture<?> done, long deadlineNanos) {
    // An interrupted thread does not wait; whether the reply was quicker is not to decide that.
    boolean interrupted = Thread.currentThread().isInterrupted();
    WriteScope corked = CURRENT.get();
    if (corked != null) {
      corked.sendAndDrive(done, deadlineNanos);
    }
    return !interrupted && done.isDone();
  }

  private void sendAndDrive(CompletableFuture<?> done, long deadlineNanos) {
    NodePipeline main = pipeline;
    Chain commands = chain;
    if (blockedCallers == null
        || main == null
        || commands == null
        || !DrivenEventLoop.mayDrive()
        || !ownsLoop(blockedCallers, main, commands)) {
      submit();
      return;
    }
    DrivenEventLoop loop = Objects.requireNonNull(drivenLoop);
    boolean sent = false;
    try {
      sent = submitHere(loop);
      if (sent) {
        loop.drive(done, deadlineNanos);
      }
    } finally {
      drivenLoop = null;
      loop.leave();
      if (!sent) {
        submit();
      }
    }
  }

  /** Whether this thread owns the event loop of a connection now, with which it is to send. */
  private boolean ownsLoop(AtomicInteger blockedCallers, NodePipeline main, Chain commands) {
    DrivenEventLoop loop = main.loop();
    if (loop == null) {
      return false;
    }
    Lanes lanes = more == null ? main.lanes() : null;
    int blocked = blockedCallers.get();
    boolean owns = false;
    if (blocked <= (lanes == null ? 1 : lanes.drivers())) {
      owns = lanes == null ? own(main) : lanes.tryDrive(main, commands, this::own);
      if (!owns) {
        loop.wantDriver();
      }
    }
    if (!owns && lanes != null && commands.areReads()) {
      lanes.missed(blocked);
    }
    return owns;
  }

  /** Takes the event loop of a connection. While this thread has it, the socket stays on it. */
  private boolean own(NodePipeline candidate) {
    DrivenEventLoop loop = candidate.loop();
    if (loop == null || !loop.tryDrive()) {
      return false;
    }
    if (candidate.loop() != loop) {
      loop.leave();
      return false;
    }
    driven = candidate;
    drivenLoop = loop;
    return true;
  }

  /**
   * Sends what is held back, as the owner of an event loop.
   *
   * @return whether it was sent; if not, nothing was
   */
  private boolean submitHere(DrivenEventLoop loop) {
    NodePipeline main = Objects.requireNonNull(pipeline);
    NodePipeline to = Objects.requireNonNull(driven);
    Chain commands = Objects.requireNonNull(chain);
    Lanes lanes = main.lanes();
    if (lanes != null && !lanes.enter(main, to, commands)) {
      return false;
    }
    // Before they are queued: whatever fails behind that, they must not be queued twice.
    pipeline = null;
    chain = null;
    if (!to.queue().submitHere(commands)) {
      pipeline = main;
      chain = commands;
      if (lanes != null) {
        commands.forEach(EncodedCommand::ended);
      }
      return false;
    }
    Map<NodePipeline, Chain> others = more;
    more = null;
    if (others != null) {
      others.forEach(
          (other, part) -> {
            if (other.loop() != loop || !other.queue().submitHere(part)) {
              other.queue().submit(part);
            }
          });
    }
    return true;
  }

  /** Sends what the current thread holds back. What it writes later is held back again. */
  public static void release() {
    WriteScope corked = CURRENT.get();
    if (corked != null) {
      corked.submit();
    }
  }

  /** Sends what the current thread holds back, if its requests have that many bytes together. */
  public static void releaseFrom(long bytes) {
    WriteScope corked = CURRENT.get();
    if (corked != null && corked.heldBytes() >= bytes) {
      corked.submit();
    }
  }

  private long heldBytes() {
    long held = chain == null ? 0 : chain.bytes();
    if (more != null) {
      for (Chain part : more.values()) {
        held += part.bytes();
      }
    }
    return held;
  }

  private void submit() {
    NodePipeline to = pipeline;
    Chain commands = chain;
    Map<NodePipeline, Chain> others = more;
    if (to == null && others == null) {
      return;
    }
    pipeline = null;
    chain = null;
    more = null;
    long beganNanos = roomNanos > 0 ? System.nanoTime() : 0;
    if (to != null && commands != null) {
      submit(to, commands, beganNanos);
    }
    if (others != null) {
      others.forEach((other, part) -> submit(other, part, beganNanos));
    }
  }

  private void submit(NodePipeline main, Chain part, long beganNanos) {
    Lanes.submit(
        main,
        part,
        (to, commands) -> {
          if (roomNanos > 0) {
            to.queue().submitWaiting(commands, beganNanos, beganNanos + roomNanos);
          } else {
            to.queue().submit(commands);
          }
        });
  }

  /** The one that the current thread runs in, or null. */
  public static @Nullable WriteScope current() {
    return CURRENT.get();
  }

  /**
   * How long the blocking call that the current thread is in may wait for room in a full queue, in
   * nanoseconds; 0 outside such a call.
   */
  public static long roomNanos() {
    WriteScope corked = CURRENT.get();
    return corked == null || corked.blockedCallers == null ? 0 : corked.roomNanos;
  }

  /** Names the node that the current thread wrote to last, to end a sentence with; may be empty. */
  public static String byNode() {
    WriteScope scope = CURRENT.get();
    NodePipeline last = scope == null ? null : scope.last;
    return last == null ? "" : last.reasons().byAddress();
  }

  /**
   * Why the reply that the current thread waits for is late.
   *
   * @param waitedNanos for how long it has waited
   * @return null if nothing is known of it
   */
  public static @Nullable Lateness whyLate(RedisCommand<?, ?, ?> command, long waitedNanos) {
    WriteScope scope = CURRENT.get();
    if (scope == null || scope.last == null) {
      return null;
    }
    return Lateness.orPause(waitedNanos, scope.last.reasons().whyLate(command));
  }

  /** Counts the command that the current thread waited for in vain. */
  public static void timedOut(Lateness why) {
    WriteScope scope = CURRENT.get();
    if (scope != null && scope.last != null) {
      scope.last.reasons().timedOut(why, 1);
    }
  }

  /** Whether the current thread holds back, and this mark is new to what it holds. */
  public static boolean isFirst(Object mark) {
    WriteScope corked = CURRENT.get();
    if (corked == null || corked.blockedCallers != null) {
      return false;
    }
    if (corked.marks == null) {
      corked.marks = new HashSet<>();
    }
    return corked.marks.add(mark);
  }

  /** Holds back a command that the current thread writes. */
  public void hold(NodePipeline to, EncodedCommand<?, ?, ?> command) {
    if (blockedCallers != null) {
      command.awaitedByCaller();
    }
    if (calledNanos != 0) {
      command.calledBy(calledNanos);
    }
    partOf(to).append(command);
  }

  /** Holds back commands with nothing between them. */
  void hold(NodePipeline to, Chain commands) {
    commands.forEach(command -> hold(to, command));
  }

  private Chain partOf(NodePipeline to) {
    last = to;
    if (chain == null) {
      pipeline = to;
      chain = new Chain();
    } else if (pipeline != to) {
      if (more == null) {
        more = new LinkedHashMap<>();
      }
      return more.computeIfAbsent(to, other -> new Chain());
    }
    return chain;
  }
}
