// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.wait;

import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.lettuce.LettuceCallers;
import dev.sheaf.internal.observe.Pauses;
import dev.sheaf.internal.pipeline.CommandHolder;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The time-outs of threads that wait for replies: each wait ends with the reply or at its deadline.
 *
 * <p>Parking with a time limit needs a timer each time. For a virtual thread that is an entry in a
 * shared heap and a second thread to wake, which costs more than the rest of a read. So threads
 * park without a limit and register in a table. One thread scans the table at intervals and ends
 * overdue waits. While nobody waits, it sleeps.
 *
 * <p>Thread-safe. A time-out is never early, and at most a tick late, or two after a pause of the
 * JVM.
 */
public final class Deadlines implements AutoCloseable {

  /**
   * Most waits in the table. Further ones use timers, and so do those that find no free slot near.
   */
  private static final int SLOTS = 4_096;

  private static final int PROBES = 8;

  /** Longer than any wait, and half of what System.nanoTime can tell apart. */
  static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

  private static final int SPREAD = 0x9E3779B9;
  private static final int SHIFT = Integer.numberOfLeadingZeros(SLOTS - 1);

  /**
   * The interval of scans is a twentieth of the usual time-out, within the bounds below: no finer
   * than timers are, and no coarser than people notice.
   */
  private static final int TICKS_PER_TIMEOUT = 20;

  private static final long MIN_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final AtomicReferenceArray<@Nullable Wait> waits = new AtomicReferenceArray<>(SLOTS);
  private final long tickNanos;
  private final int yields;

  /** Whether the thread scans the table. If not, it sleeps until this is set and it is woken. */
  private final AtomicBoolean watching = new AtomicBoolean();

  /** The scanning thread; started by the first wait. */
  private volatile @Nullable Thread watcher;

  private volatile boolean closed;

  /**
   * Creates the table without a thread; the first wait starts it.
   *
   * @param yields how often a thread yields before it parks
   */
  public Deadlines(Duration usualTimeout, int yields) {
    this.yields = yields;
    this.tickNanos =
        Math.max(
            MIN_TICK_NANOS, Math.min(MAX_TICK_NANOS, usualTimeout.toNanos() / TICKS_PER_TIMEOUT));
  }

  /**
   * Blocks until the reply arrives or the deadline passes. The thread must have sent its collected
   * commands.
   *
   * @param timeoutNanos the time-out, counted from the call
   * @param deadlineNanos when it ends, by System.nanoTime
   * @return whether the reply has arrived, as a value or a failure
   * @throws RedisCommandInterruptedException if the thread is interrupted; it stays interrupted
   */
  boolean await(AwaitedCommand<?, ?, ?> reply, long timeoutNanos, long deadlineNanos) {
    if (yieldUntilDone(reply)) {
      return true;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new RedisCommandInterruptedException(
          new InterruptedException("Interrupted while it waited for a reply"));
    }
    boolean tooShort = timeoutNanos < tickNanos * TICKS_PER_TIMEOUT;
    return awaitParked(reply, deadlineNanos, tooShort) || failedInBlockingCall(reply, timeoutNanos);
  }

  /**
   * Fails the command of a blocking call with a more detailed error than Lettuce's. A future that
   * is only awaited for a while is not completed.
   */
  private static boolean failedInBlockingCall(AwaitedCommand<?, ?, ?> reply, long timeoutNanos) {
    if (WriteScope.roomNanos() == 0 && !LettuceCallers.awaitBlockingCommand()) {
      return false;
    }
    CommandHolder.expireAll(List.of(reply), timeoutNanos);
    return true;
  }

  private boolean awaitParked(AwaitedCommand<?, ?, ?> reply, long deadlineNanos, boolean tooShort) {
    // Too short for the scan interval; or a pool must know that its thread blocks.
    boolean byTimer = tooShort || Thread.currentThread() instanceof ForkJoinWorkerThread;
    Wait wait = byTimer ? null : enter(reply, deadlineNanos, false);
    if (wait == null) {
      return reply.awaitByTimer(deadlineNanos);
    }
    try {
      return wait.untilDone();
    } finally {
      leave(wait);
    }
  }

  /**
   * Blocks until the reply arrives, the deadline passes or the thread is interrupted. The thread is
   * woken once all replies that have arrived are delivered, since it may await others, too. Returns
   * at once if the thread must wait in another way.
   */
  void awaitAmongOthers(AwaitedCommand<?, ?, ?> reply, long deadlineNanos) {
    Wait wait =
        Thread.currentThread() instanceof ForkJoinWorkerThread
            ? null
            : enter(reply, System.nanoTime() + FOREVER_NANOS, true);
    if (wait == null) {
      return;
    }
    try {
      wait.untilDoneOr(deadlineNanos);
    } finally {
      leave(wait);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // It may have no effect; then the thread parks.
  private boolean yieldUntilDone(AwaitedCommand<?, ?, ?> reply) {
    for (int yielded = 0; yielded < yields; yielded++) {
      Thread.yield();
      if (reply.isDone()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Registers a wait of the current thread; null if another thread waits for the reply, no slot
   * near is free, or this is closed.
   */
  private @Nullable Wait enter(
      AwaitedCommand<?, ?, ?> reply, long deadlineNanos, boolean amongOthers) {
    Wait wait = new Wait(reply, Thread.currentThread(), deadlineNanos, amongOthers);
    if (!reply.wakes(wait)) {
      return null;
    }
    int home = ((int) Thread.currentThread().getId() * SPREAD) >>> SHIFT;
    for (int probe = 0; probe < PROBES && !closed; probe++) {
      int slot = home + probe & SLOTS - 1;
      if (waits.get(slot) == null && waits.compareAndSet(slot, null, wait)) {
        wait.slot = slot;
        if (closed) {
          leave(wait);
          return null;
        }
        if (!watching.get() && watching.compareAndSet(false, true)) {
          wake();
        }
        return wait;
      }
    }
    reply.wakesNobody();
    return null;
  }

  private void leave(Wait wait) {
    wait.reply.wakesNobody();
    waits.set(wait.slot, null);
  }

  private void wake() {
    Thread thread = watcher;
    if (thread == null) {
      thread = new Thread(this::watch, "sheaf-deadlines");
      thread.setDaemon(true);
      watcher = thread;
      thread.start();
    } else {
      LockSupport.unpark(thread);
    }
  }

  private void watch() {
    boolean idleBefore = false;
    while (!closed) {
      long parkedNanos = System.nanoTime();
      LockSupport.parkNanos(this, tickNanos);
      long now = System.nanoTime();
      long lateNanos = now - parkedNanos - tickNanos;
      Pauses.note(now, lateNanos);
      // An interrupt would keep this thread from ever parking again.
      Thread.interrupted();
      boolean idle = !visit(judgedNanos(now, lateNanos), false);
      if (idle && idleBefore) {
        sleepUntilWoken();
      }
      idleBefore = idle;
    }
    visit(System.nanoTime(), true);
  }

  /**
   * The time by which waits are judged. After a pause of this JVM it is the time at which the pause
   * began: replies may have come meanwhile, and the event loops need a moment to read them.
   *
   * @param lateNanos by how much the scan is late
   */
  static long judgedNanos(long now, long lateNanos) {
    return lateNanos < Pauses.MIN_NANOS ? now : now - lateNanos;
  }

  private void sleepUntilWoken() {
    watching.set(false);
    // A wait may have registered just before the line above, and rely on this thread.
    if (isAnyWaiting() && watching.compareAndSet(false, true)) {
      return;
    }
    while (!watching.get() && !closed) {
      LockSupport.park(this);
      Thread.interrupted();
    }
  }

  /**
   * Scans the table.
   *
   * @param all whether to end all waits, because this was the last scan
   * @return whether there was any wait
   */
  private boolean visit(long now, boolean all) {
    boolean any = false;
    for (int slot = 0; slot < SLOTS; slot++) {
      Wait wait = waits.get(slot);
      if (wait != null) {
        any = true;
        wait.look(now, all);
      }
    }
    return any;
  }

  private boolean isAnyWaiting() {
    for (int slot = 0; slot < SLOTS; slot++) {
      if (waits.get(slot) != null) {
        return true;
      }
    }
    return false;
  }

  /** Whether the thread is scanning, and not asleep until the next wait. For tests. */
  boolean isWatching() {
    return watching.get();
  }

  /** Ends the thread and all waits. Later waits use timers. */
  @Override
  public void close() {
    closed = true;
    Thread thread = watcher;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** One thread's wait for one reply. */
  static final class Wait implements Runnable {

    private final AwaitedCommand<?, ?, ?> reply;
    private final Thread thread;

    /** When it ends, by System.nanoTime. */
    private final long deadlineNanos;

    /** Whether the thread is woken after all replies that have arrived, not just after this one. */
    private final boolean amongOthers;

    /** Its place in the table. */
    private int slot;

    private volatile boolean expired;

    private Wait(
        AwaitedCommand<?, ?, ?> reply, Thread thread, long deadlineNanos, boolean amongOthers) {
      this.reply = reply;
      this.thread = thread;
      this.deadlineNanos = deadlineNanos;
      this.amongOthers = amongOthers;
    }

    private boolean untilDone() {
      while (!reply.isDone()) {
        if (expired) {
          return false;
        }
        if (Thread.currentThread().isInterrupted()) {
          throw new RedisCommandInterruptedException(
              new InterruptedException("Interrupted while it waited for a reply"));
        }
        LockSupport.park(reply);
      }
      return true;
    }

    /** Also ends at a time of its own, to the nanosecond, or with an interrupt. */
    private void untilDoneOr(long endNanos) {
      long leftNanos = endNanos - System.nanoTime();
      while (leftNanos > 0 && !reply.isDone() && !expired && !thread.isInterrupted()) {
        if (leftNanos > FOREVER_NANOS / 2) {
          LockSupport.park(reply);
        } else {
          LockSupport.parkNanos(reply, leftNanos);
        }
        leftNanos = endNanos - System.nanoTime();
      }
    }

    private void look(long now, boolean end) {
      if (end || now - deadlineNanos >= 0) {
        expired = true;
        run();
      } else if (reply.isDone()) {
        // Completed without waking the thread, for instance by CompletableFuture.completeAsync.
        run();
      }
    }

    @Override
    public void run() {
      if (!amongOthers || !DrivenEventLoop.afterReplies(() -> LockSupport.unpark(thread))) {
        LockSupport.unpark(thread);
      }
    }
  }
}
