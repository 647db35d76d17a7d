package dev.sheaf;

import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.internal.ExceptionFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets threads wait for replies, and ends the waits that last too long.
 *
 * <p>A thread that parks with a time limit costs a timer each time, which for a virtual thread is
 * an entry in a shared heap and a second thread to wake, more than all else that a read costs. So
 * threads park without a limit, after they left a note in a table; one thread reads the table now
 * and then and fails what is overdue. While nobody waits, it sleeps.
 *
 * <p>Thread-safe. A time-out is never early; it is late by up to two ticks.
 */
final class Deadlines implements AutoCloseable {

  private static final Logger LOG = System.getLogger("dev.sheaf");

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
  private final long tickNanos;

  /** Whether the thread looks at the table; if not, it sleeps until this is set and it is woken. */
  private final AtomicBoolean watching = new AtomicBoolean();

  /** Begins with the first wait. */
  private volatile @Nullable Thread watcher;

  private volatile boolean closed;

  Deadlines(Duration usualTimeout) {
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
    boolean nobodyBefore = false;
    while (!closed) {
      LockSupport.parkNanos(this, tickNanos);
      // An interrupt meant for others would keep this thread from parking ever again.
      Thread.interrupted();
      boolean nobody = !visit(System.nanoTime(), false);
      if (nobody && nobodyBefore) {
        sleepUntilWoken();
      }
      nobodyBefore = nobody;
    }
    visit(System.nanoTime(), true);
  }

  private void sleepUntilWoken() {
    watching.set(false);
    // Somebody may have come in just before the line above, and relied on this thread.
    if (isAnybodyWaiting() && watching.compareAndSet(false, true)) {
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
    boolean somebody = false;
    for (int slot = 0; slot < SLOTS; slot++) {
      Wait wait = waits.get(slot);
      if (wait != null) {
        somebody = true;
        if (all || wait.isOverdue(now)) {
          wait.expire();
        }
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
  private static final class Wait {

    private final RedisFuture<?> reply;
    private final long timeoutNanos;

    /**
     * When it is over, by System.nanoTime, from the first look at it on. Of the watching thread.
     */
    private long dueNanos;

    private boolean seen;

    /** Written before the reply is failed, which is what the waiting thread waits for. */
    private volatile boolean expired;

    Wait(RedisFuture<?> reply, long timeoutNanos) {
      this.reply = reply;
      this.timeoutNanos = timeoutNanos;
    }

    boolean isOverdue(long now) {
      if (!seen) {
        seen = true;
        dueNanos = now + timeoutNanos;
        return false;
      }
      return now - dueNanos >= 0;
    }

    void expire() {
      if (reply.isDone()) {
        return;
      }
      expired = true;
      try {
        reply
            .toCompletableFuture()
            .completeExceptionally(
                ExceptionFactory.createTimeoutException(Duration.ofNanos(timeoutNanos)));
      } catch (RuntimeException e) {
        // What is chained to one reply must not end the watch over the others.
        LOG.log(Level.WARNING, "A listener threw while a command timed out", e);
      }
    }
  }
}
