package dev.sheaf.internal.availability;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs one action at a time. Callers share the outcome of a run that begins after they asked or, if
 * they accept that, began a little before. At most one run is under way and one waits behind it.
 *
 * <p>Each caller has a future and a time-out of its own: to cancel one, or to give up on it,
 * changes nothing for the others. A run that fails fails all its callers with the same cause; the
 * next caller starts a new one. Thread-safe; runs begin on the caller's thread or the timer's.
 */
final class SingleFlight<T> {

  /** The sweep for callers whose time is up does not come more often than this. */
  private static final long SWEEP_NANOS = Duration.ofMillis(1).toNanos();

  private final Supplier<? extends CompletionStage<T>> action;
  private final GuardTimer timer;
  private final long minSpacingNanos;
  private final Duration longestRun;
  private final IntConsumer landed;
  private final Object lock = new Object();

  private @Nullable Run underWay;
  private @Nullable Run behind;
  private @Nullable Throwable closed;
  private @Nullable Future<?> sweep;
  private long sweepAt;
  private long lastBegan;

  /**
   * Creates a flight that has not begun.
   *
   * @param minSpacing the shortest time between the beginnings of two runs
   * @param longestRun after which a run fails, whatever its action does: the next one must begin
   * @param landed is told how many callers shared a run that has ended
   */
  SingleFlight(
      Supplier<? extends CompletionStage<T>> action,
      GuardTimer timer,
      Duration minSpacing,
      Duration longestRun,
      IntConsumer landed) {
    this.action = action;
    this.timer = timer;
    this.minSpacingNanos = minSpacing.toNanos();
    this.longestRun = longestRun;
    this.landed = landed;
    this.lastBegan = System.nanoTime() - minSpacingNanos;
  }

  /**
   * Shares a run, or starts one.
   *
   * @param maxAgeNanos how long before this call the run may have begun; zero for not at all
   * @param timeoutNanos after which the future fails with the given exception
   */
  CompletableFuture<T> join(
      long maxAgeNanos, long timeoutNanos, Supplier<? extends Throwable> timeout) {
    long now = System.nanoTime();
    Waiter<T> waiter = new Waiter<>(now + timeoutNanos, timeout);
    Run started = null;
    synchronized (lock) {
      if (closed != null) {
        waiter.completeExceptionally(closed);
        return waiter;
      }
      Run run = underWay;
      if (run == null) {
        run = new Run();
        underWay = run;
        started = run;
      } else if (run.began && now - run.beganAt >= maxAgeNanos) {
        run = behind == null ? new Run() : behind;
        behind = run;
      }
      run.add(waiter);
    }
    if (started != null) {
      begin(started);
    }
    return waiter;
  }

  /** Whether a run has begun or is about to. */
  boolean isBusy() {
    synchronized (lock) {
      return underWay != null;
    }
  }

  /** Fails all callers, now and later. The action's own future is left alone. */
  void close(Throwable cause) {
    List<Waiter<T>> waiters = new ArrayList<>();
    synchronized (lock) {
      closed = cause;
      runs().forEach(run -> waiters.addAll(run.end()));
      if (sweep != null) {
        sweep.cancel(false);
      }
      underWay = null;
      behind = null;
    }
    waiters.forEach(waiter -> waiter.completeExceptionally(cause));
  }

  private void begin(Run run) {
    synchronized (lock) {
      if (run != underWay) {
        return;
      }
      long now = System.nanoTime();
      long pause = lastBegan + minSpacingNanos - now;
      if (pause > 0 && timer.after(() -> begin(run), pause) != null) {
        return;
      }
      run.began = true;
      run.beganAt = now;
      lastBegan = now;
      run.limit = timer.after(() -> land(run, null, tooLong()), longestRun.toNanos());
    }
    try {
      action.get().whenComplete((value, failure) -> land(run, value, failure));
    } catch (Throwable e) {
      land(run, null, e); // Also an Error: a run that does not end lets no other begin.
    }
  }

  private TimeoutException tooLong() {
    return new TimeoutException("no outcome within " + longestRun.toMillis() + " ms");
  }

  private void land(Run run, @Nullable T value, @Nullable Throwable failure) {
    List<Waiter<T>> waiters;
    Run next;
    synchronized (lock) {
      if (run != underWay) {
        return;
      }
      waiters = run.end();
      next = behind;
      underWay = next;
      behind = null;
    }
    if (next != null && timer.after(() -> begin(next), 0) == null) {
      begin(next);
    }
    landed.accept(run.joined);
    for (Waiter<T> waiter : waiters) {
      waiter.land(value, failure);
    }
  }

  /** Fails the callers whose time is up. One timer, for the earliest of them, serves all. */
  private void sweep() {
    List<Waiter<T>> due = new ArrayList<>();
    synchronized (lock) {
      sweep = null;
      long now = System.nanoTime();
      long earliest = Long.MAX_VALUE;
      for (Run run : runs()) {
        earliest = Math.min(earliest, run.takeDue(now, due));
      }
      if (earliest < Long.MAX_VALUE) {
        armSweep(now + earliest);
      }
    }
    due.forEach(Waiter::expire);
  }

  private void armSweep(long deadline) {
    if (sweep != null && deadline - sweepAt >= 0) {
      return;
    }
    if (sweep != null) {
      sweep.cancel(false);
    }
    sweepAt = deadline;
    sweep = timer.after(this::sweep, Math.max(SWEEP_NANOS, deadline - System.nanoTime()));
  }

  private List<Run> runs() {
    return Stream.of(underWay, behind).filter(Objects::nonNull).toList();
  }

  /** One run with its callers; guarded by the lock. */
  private final class Run {

    private List<Waiter<T>> waiters = new ArrayList<>();
    private int joined;
    private boolean began;
    private long beganAt;
    private @Nullable Future<?> limit;

    void add(Waiter<T> waiter) {
      waiters.add(waiter);
      joined++;
      armSweep(waiter.deadline);
    }

    /** Takes the callers whose time is up; gives the time until the next one's is. */
    long takeDue(long now, List<Waiter<T>> due) {
      waiters.removeIf(CompletableFuture::isDone);
      for (Waiter<T> waiter : waiters) {
        if (waiter.deadline - now <= 0) {
          due.add(waiter);
        }
      }
      waiters.removeIf(waiter -> waiter.deadline - now <= 0);
      return waiters.stream()
          .mapToLong(waiter -> waiter.deadline - now)
          .min()
          .orElse(Long.MAX_VALUE);
    }

    List<Waiter<T>> end() {
      if (limit != null) {
        limit.cancel(false);
      }
      List<Waiter<T>> all = waiters;
      waiters = new ArrayList<>();
      return all;
    }
  }

  private static final class Waiter<T> extends CompletableFuture<T> {

    private final long deadline;
    private final Supplier<? extends Throwable> timeout;

    Waiter(long deadline, Supplier<? extends Throwable> timeout) {
      this.deadline = deadline;
      this.timeout = timeout;
    }

    @SuppressWarnings("NullAway") // A value that may be null is null by the action's contract.
    void land(@Nullable T value, @Nullable Throwable failure) {
      if (failure == null) {
        complete(value);
      } else {
        completeExceptionally(failure);
      }
    }

    void expire() {
      if (!isDone()) {
        completeExceptionally(timeout.get());
      }
    }

    /** Derived futures are plain ones. */
    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
      return new CompletableFuture<>();
    }
  }
}
