package dev.sheaf;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.internal.ExceptionFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads wait for replies, and ends the waits that last too long.
 *
 * <p>A thread that parks with a time limit costs a timer each time, which for a virtual thread is
 * an entry in a shared heap and a second thread to wake, more than all else that a read costs. So
 * threads park without a limit, after they left a note in a table; one periodic task reads the
 * table and fails what is overdue. While nobody waits, nothing runs.
 *
 * <p>Thread-safe. A time-out is never early; it is late by up to two ticks.
 */
final class Deadlines {

  /** More waits than that at once keep their own time, as do those that find no slot near. */
  private static final int SLOTS = 4_096;

  private static final int PROBES = 8;
  private static final int SPREAD = 0x9E3779B9;
  private static final int SHIFT = Integer.numberOfLeadingZeros(SLOTS - 1);

  /**
   * A twentieth of the time-out, but no finer than timers are and no coarser than people notice.
   */
  private static final int TICKS_PER_TIMEOUT = 20;

  private static final long MIN_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long MAX_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private final AtomicReferenceArray<@Nullable Wait> waits = new AtomicReferenceArray<>(SLOTS);
  private final EventExecutorGroup scheduler;
  private final long tickNanos;
  private final AtomicBoolean ticking = new AtomicBoolean();
  private final Runnable tick = this::tick;
  private boolean sawNobody;

  Deadlines(EventExecutorGroup scheduler, Duration usualTimeout) {
    this.scheduler = scheduler;
    this.tickNanos =
        Math.max(
            MIN_TICK_NANOS, Math.min(MAX_TICK_NANOS, usualTimeout.toNanos() / TICKS_PER_TIMEOUT));
  }

  /**
   * Waits for a reply as {@link LettuceFutures#awaitOrCancel} does, with its results and its
   * exceptions.
   *
   * @param timeoutNanos the limit; 0 for none
   */
  <T> @Nullable T await(RedisFuture<T> reply, long timeoutNanos) {
    if (timeoutNanos > 0 && !reply.isDone()) {
      Wait wait = new Wait(reply, timeoutNanos);
      int slot = enter(wait);
      if (slot >= 0) {
        parkUntilDone(reply);
        waits.set(slot, null);
        if (wait.expired) {
          throw ExceptionFactory.createTimeoutException(Duration.ofNanos(timeoutNanos));
        }
      }
    }
    return LettuceFutures.awaitOrCancel(reply, timeoutNanos, TimeUnit.NANOSECONDS);
  }

  private static void parkUntilDone(RedisFuture<?> reply) {
    try {
      reply.get();
    } catch (ExecutionException | CancellationException e) {
      // Lettuce says it its way when it is asked for the value.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Leaves the note; negative if there is no slot near, or nobody to read it. */
  private int enter(Wait wait) {
    int home = (int) Thread.currentThread().getId() * SPREAD >>> SHIFT;
    for (int probe = 0; probe < PROBES; probe++) {
      int slot = home + probe & SLOTS - 1;
      if (waits.get(slot) == null && waits.compareAndSet(slot, null, wait)) {
        if (ticking.get() || startTicking()) {
          return slot;
        }
        waits.set(slot, null);
        return -1;
      }
    }
    return -1;
  }

  private boolean startTicking() {
    return !ticking.compareAndSet(false, true) || schedule();
  }

  private boolean schedule() {
    try {
      scheduler.schedule(tick, tickNanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (RejectedExecutionException shutDown) {
      ticking.set(false);
      return false;
    }
  }

  private void tick() {
    boolean somebody = expireOverdue(System.nanoTime());
    boolean idle = !somebody && sawNobody;
    sawNobody = !somebody;
    if (!idle) {
      if (!schedule()) {
        expireAll();
      }
      return;
    }
    sawNobody = false;
    ticking.set(false);
    // Somebody may have come in just before the line above, and relied on this task.
    if (isAnybodyWaiting() && ticking.compareAndSet(false, true) && !schedule()) {
      expireAll();
    }
  }

  private boolean expireOverdue(long now) {
    boolean somebody = false;
    for (int slot = 0; slot < SLOTS; slot++) {
      Wait wait = waits.get(slot);
      if (wait != null) {
        somebody = true;
        wait.observe(now);
      }
    }
    return somebody;
  }

  private boolean isAnybodyWaiting() {
    for (int slot = 0; slot < SLOTS; slot++) {
      if (waits.get(slot) != null) {
        return true;
      }
    }
    return false;
  }

  /** The client was shut down: nobody reads the table any more. */
  private void expireAll() {
    for (int slot = 0; slot < SLOTS; slot++) {
      Wait wait = waits.get(slot);
      if (wait != null) {
        wait.expire();
      }
    }
  }

  /** One thread's wait for one reply. */
  private static final class Wait {

    private final RedisFuture<?> reply;
    private final long timeoutNanos;

    /** When it is over, by System.nanoTime, from the first tick on that saw it. Of the task. */
    private long dueNanos;

    private boolean seen;

    /** Written before the reply is failed, which is what the waiting thread waits for. */
    private volatile boolean expired;

    Wait(RedisFuture<?> reply, long timeoutNanos) {
      this.reply = reply;
      this.timeoutNanos = timeoutNanos;
    }

    void observe(long now) {
      if (!seen) {
        seen = true;
        dueNanos = now + timeoutNanos;
      } else if (now - dueNanos >= 0) {
        expire();
      }
    }

    void expire() {
      if (!reply.isDone()) {
        expired = true;
        reply
            .toCompletableFuture()
            .completeExceptionally(
                ExceptionFactory.createTimeoutException(Duration.ofNanos(timeoutNanos)));
      }
    }
  }
}
