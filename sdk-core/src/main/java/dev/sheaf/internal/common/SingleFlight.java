// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A single-flight action: many callers share one run at a time. A caller gets the outcome of a run
 * that starts after its call or, if it accepts that, shortly before. At most one run is active and
 * one is pending.
 *
 * <p>Each caller has its own future and optional time-out; cancelling one does not affect the
 * others. A failed run fails all its callers with the same cause, and the next caller starts a new
 * run. Thread-safe. Runs start on the caller's thread or the timer's.
 */
public final class SingleFlight<T> {

  /** How often time-outs are checked during a run, and so how late one can be. */
  private static final long TICK_NANOS = Duration.ofMillis(10).toNanos();

  private final Supplier<? extends CompletionStage<T>> action;
  private final Timer timer;
  private final Pace pace;
  private final Duration longestRun;
  private final PeriodicTask tick;
  private final Object lock = new Object();

  // Guarded by the lock.
  private @Nullable Run underWay;
  private @Nullable Run behind;
  private @Nullable Throwable closed;

  /**
   * Creates an idle single-flight.
   *
   * @param pace limits the rate at which runs start
   * @param longestRun after which a run fails even if its action goes on, so that another can start
   */
  public SingleFlight(
      Supplier<? extends CompletionStage<T>> action, Timer timer, Pace pace, Duration longestRun) {
    this.action = action;
    this.timer = timer;
    this.pace = pace;
    this.longestRun = longestRun;
    this.tick = new PeriodicTask(timer, TICK_NANOS, this::tick);
  }

  /** Joins a run that starts after this call, or starts one. */
  public CompletableFuture<T> join() {
    return join(0, new Waiter<>(0, null));
  }

  /**
   * Joins a run, or starts one.
   *
   * @param maxAgeNanos how long before this call the run may have started; zero for only later runs
   * @param timeoutNanos after which the future fails with the given exception
   */
  public CompletableFuture<T> join(
      long maxAgeNanos, long timeoutNanos, Supplier<? extends Throwable> timeout) {
    return join(maxAgeNanos, new Waiter<>(System.nanoTime() + timeoutNanos, timeout));
  }

  private CompletableFuture<T> join(long maxAgeNanos, Waiter<T> waiter) {
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
      } else if (run.began && System.nanoTime() - run.beganAt >= maxAgeNanos) {
        run = behind == null ? new Run() : behind;
        behind = run;
      }
      run.waiters.add(waiter);
    }
    tick.start();
    if (started != null) {
      beginInTurn(started);
    }
    return waiter;
  }

  /** Whether a run is active or pending. */
  public boolean isBusy() {
    synchronized (lock) {
      return underWay != null;
    }
  }

  /** Fails all callers, now and later. Does not cancel the action. */
  public void close(Throwable cause) {
    List<Waiter<T>> waiters = new ArrayList<>();
    synchronized (lock) {
      closed = cause;
      for (Run run : runs()) {
        waiters.addAll(run.waiters);
      }
      underWay = null;
      behind = null;
    }
    waiters.forEach(waiter -> waiter.completeExceptionally(cause));
  }

  private void beginInTurn(Run run) {
    long pause = pace.takeTurn();
    if (pause <= 0 || !timer.after(() -> begin(run), pause)) {
      begin(run);
    }
  }

  private void begin(Run run) {
    synchronized (lock) {
      if (run != underWay) {
        return;
      }
      run.began = true;
      run.beganAt = System.nanoTime();
    }
    try {
      action.get().whenComplete((value, failure) -> land(run, value, failure));
    } catch (Throwable e) {
      land(run, null, e); // Also an Error: a run that does not end lets no other begin.
    }
  }

  private void land(Run run, @Nullable T value, @Nullable Throwable failure) {
    Run next;
    synchronized (lock) {
      if (run != underWay) {
        return;
      }
      next = behind;
      underWay = next;
      behind = null;
    }
    if (next != null && !timer.after(() -> beginInTurn(next), 0)) {
      beginInTurn(next);
    }
    for (Waiter<T> waiter : run.waiters) {
      waiter.land(value, failure);
    }
  }

  /** Fails overdue callers and an overdue run. Returns whether a run is active. */
  private boolean tick() {
    List<Waiter<T>> due = new ArrayList<>();
    Run hanging = null;
    synchronized (lock) {
      long now = System.nanoTime();
      for (Run run : runs()) {
        run.waiters.removeIf(waiter -> waiter.isDone() || (waiter.isDue(now) && due.add(waiter)));
        if (run.began && now - run.beganAt >= longestRun.toNanos()) {
          hanging = run;
        }
      }
    }
    due.forEach(Waiter::expire);
    if (hanging != null) {
      String reason = "no outcome within " + longestRun.toMillis() + " ms";
      land(hanging, null, new TimeoutException(reason));
    }
    return isBusy();
  }

  private List<Run> runs() {
    List<Run> runs = new ArrayList<>(2);
    if (underWay != null) {
      runs.add(underWay);
    }
    if (behind != null) {
      runs.add(behind);
    }
    return runs;
  }

  /** A run with its callers; guarded by the lock while active or pending. */
  private final class Run {

    private final List<Waiter<T>> waiters = new ArrayList<>();
    private boolean began;
    private long beganAt;
  }

  private static final class Waiter<T> extends CompletableFuture<T> {

    private final long deadline;

    /** Creates the caller's time-out exception; null if it waits for the end of the run. */
    private final @Nullable Supplier<? extends Throwable> timeout;

    Waiter(long deadline, @Nullable Supplier<? extends Throwable> timeout) {
      this.deadline = deadline;
      this.timeout = timeout;
    }

    boolean isDue(long now) {
      return timeout != null && deadline - now <= 0;
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
      if (timeout != null && !isDone()) {
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
