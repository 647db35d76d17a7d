// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.wait;

import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Pauses;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The deadlines of the threads of one client that wait for replies: each wait ends with its reply
 * or when its time is over.
 *
 * <p>A thread that parks with a time limit costs a timer each time, which for a virtual thread is
 * an entry in a shared heap and a second thread to wake, more than all else that a read costs. So
 * threads park without a limit, after they left a note in a table; one thread reads the table now
 * and then and fails what is overdue. While nobody waits, it sleeps.
 *
 * <p>Thread-safe. A time-out is never early; it is late by up to two ticks.
 */
public final class Deadlines implements AutoCloseable {

  /** More waits than that at once keep their own time, as do those that find no slot near. */
  private static final int SLOTS = 4_096;

  /** How often a thread yields before it parks, if it was told to yield. */
  private static final int YIELDS = 100;

  private static final int PROBES = 8;
  private static final int SPREAD = 0x9E3779B9;
  private static final int SHIFT = Integer.numberOfLeadingZeros(SLOTS - 1);

  /**
   * A twentieth of the usual time-out, but no finer than timers are and no coarser than people
   * notice.
   */
  private static final int TICKS_PER_TIMEOUT = 20;

  private static final long MIN_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final AtomicReferenceArray<@Nullable Wait> waits = new AtomicReferenceArray<>(SLOTS);
  private final long tickNanos;
  private final boolean yielding;

  /** Whether the thread looks at the table; if not, it sleeps until this is set and it is woken. */
  private final AtomicBoolean watching = new AtomicBoolean();

  /** Begins with the first wait. */
  private volatile @Nullable Thread watcher;

  private volatile boolean closed;

  /**
   * Begins without a thread; the first wait starts it.
   *
   * @param yielding whether threads yield before they park
   */
  public Deadlines(Duration usualTimeout, boolean yielding) {
    this.yielding = yielding;
    this.tickNanos =
        Math.max(
            MIN_TICK_NANOS, Math.min(MAX_TICK_NANOS, usualTimeout.toNanos() / TICKS_PER_TIMEOUT));
  }

  /**
   * Blocks until a reply is there, or its time is over. By a thread that holds nothing back.
   *
   * @param timeoutNanos how much time there was
   * @param deadlineNanos when it is over, by System.nanoTime
   * @return whether it is there, a value or a failure
   * @throws RedisCommandInterruptedException if the thread is interrupted meanwhile; it stays so
   */
  boolean await(AwaitedCommand<?, ?, ?> reply, long timeoutNanos, long deadlineNanos) {
    if (yielding && yieldUntilDone(reply)) {
      return true;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw new RedisCommandInterruptedException(
          new InterruptedException("Interrupted while it waited for a reply"));
    }
    long leftNanos = Math.max(0, deadlineNanos - System.nanoTime());
    boolean tooShort = timeoutNanos < tickNanos * TICKS_PER_TIMEOUT;
    return awaitParked(reply, leftNanos, tooShort) || failedInBlockingCall(reply, timeoutNanos);
  }

  /**
   * Ends the command of a blocking call with an error that says more than Lettuce's. A future that
   * is merely awaited for a while stays as it is.
   */
  private static boolean failedInBlockingCall(AwaitedCommand<?, ?, ?> reply, long timeoutNanos) {
    if (WriteScope.roomNanos() == 0) {
      return false;
    }
    Lateness why = WriteScope.whyLate(reply, timeoutNanos);
    // The reply may have come while that was found out, and then it stays. Either way it is there.
    if (!reply.isDone()) {
      if (reply.completeExceptionally(failure(reply, why, timeoutNanos)) && why != null) {
        WriteScope.timedOut(why);
      }
    }
    return true;
  }

  private static RedisCommandTimeoutException failure(
      AwaitedCommand<?, ?, ?> reply, @Nullable Lateness why, long timeoutNanos) {
    String command = reply.getType().toString();
    return why == null
        ? new RedisCommandTimeoutException(
            command
                + " was not answered within "
                + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms; commandTimeout sets the limit")
        : why.failure(command, WriteScope.byNode(), timeoutNanos);
  }

  private boolean awaitParked(AwaitedCommand<?, ?, ?> reply, long timeoutNanos, boolean tooShort) {
    if (tooShort || Thread.currentThread() instanceof ForkJoinWorkerThread) {
      // Too short for these ticks; or a pool wants to know that its thread blocks.
      return reply.awaitByTimer(timeoutNanos);
    }
    Wait wait = new Wait(reply, Thread.currentThread(), timeoutNanos);
    if (!reply.wakesFor(wait)) {
      return reply.awaitByTimer(timeoutNanos);
    }
    int slot = enter(wait);
    try {
      return slot < 0 ? reply.awaitByTimer(timeoutNanos) : wait.untilDone();
    } finally {
      reply.wakesNobody();
      if (slot >= 0) {
        waits.set(slot, null);
      }
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // It may have no effect; then the thread parks.
  private boolean yieldUntilDone(AwaitedCommand<?, ?, ?> reply) {
    for (int yielded = 0; yielded < YIELDS; yielded++) {
      Thread.yield();
      if (reply.isDone()) {
        return true;
      }
    }
    return false;
  }

  /** Leaves the note; negative if there is no slot near, or nobody to read it. */
  private int enter(Wait wait) {
    int home = ((int) Thread.currentThread().getId() * SPREAD) >>> SHIFT;
    for (int probe = 0; probe < PROBES; probe++) {
      int slot = home + probe & SLOTS - 1;
      if (waits.get(slot) == null && waits.compareAndSet(slot, null, wait)) {
        if (closed) {
          waits.set(slot, null);
          return -1;
        }
        if (!watching.get() && watching.compareAndSet(false, true)) {
          wake();
        }
        return slot;
      }
    }
    return -1;
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
      Pauses.note(now, now - parkedNanos - tickNanos);
      // An interrupt meant for others would keep this thread from parking ever again.
      Thread.interrupted();
      boolean idle = !visit(System.nanoTime(), false);
      if (idle && idleBefore) {
        sleepUntilWoken();
      }
      idleBefore = idle;
    }
    visit(System.nanoTime(), true);
  }

  private void sleepUntilWoken() {
    watching.set(false);
    // A wait may have come just before the line above, and relied on this thread.
    if (isAnyWaiting() && watching.compareAndSet(false, true)) {
      return;
    }
    while (!watching.get() && !closed) {
      LockSupport.park(this);
      Thread.interrupted();
    }
  }

  /**
   * Looks at every wait.
   *
   * @param all whether to end them all, because nobody reads the table any more
   * @return whether there was any
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

  /** Whether the thread is about, or will wake for the next wait only. For tests. */
  boolean isWatching() {
    return watching.get();
  }

  /** Ends the thread, and all waits with it; later waits keep their own time. */
  @Override
  public void close() {
    closed = true;
    Thread thread = watcher;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  /** One thread's wait for one reply. */
  static final class Wait {

    private final AwaitedCommand<?, ?, ?> reply;
    private final Thread thread;
    private final long timeoutNanos;

    /**
     * When it is over, by System.nanoTime, from the first look at it on. Of the watching thread.
     */
    private long dueNanos;

    private boolean seen;
    private volatile boolean expired;

    private Wait(AwaitedCommand<?, ?, ?> reply, Thread thread, long timeoutNanos) {
      this.reply = reply;
      this.thread = thread;
      this.timeoutNanos = timeoutNanos;
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

    private void look(long now, boolean end) {
      if (!seen) {
        seen = true;
        dueNanos = now + timeoutNanos;
      }
      if (end || now - dueNanos >= 0) {
        expired = true;
        wake();
      } else if (reply.isDone()) {
        // Completed in a way that wakes nobody, such as CompletableFuture.completeAsync.
        wake();
      }
    }

    void wake() {
      LockSupport.unpark(thread);
    }
  }
}
