// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A task that runs periodically while it has work, and is not scheduled otherwise.
 *
 * <p>Thread-safe: at most one run is scheduled, however often it is started.
 */
public final class PeriodicTask {

  private final Timer timer;
  private final long periodNanos;
  private final BooleanSupplier task;
  private final Runnable run = this::run;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Creates a stopped task.
   *
   * @param task returns whether to run again; if it throws, it runs again
   */
  public PeriodicTask(Timer timer, long periodNanos, BooleanSupplier task) {
    this.timer = timer;
    this.periodNanos = periodNanos;
    this.task = task;
  }

  /** Schedules a run, a period from now at the latest. */
  public void start() {
    if (scheduled.compareAndSet(false, true) && !timer.after(run, periodNanos)) {
      scheduled.set(false);
    }
  }

  private void run() {
    // Before the run: work that arrives after the task has checked must start it again.
    scheduled.set(false);
    boolean again = true;
    try {
      again = task.getAsBoolean();
    } finally {
      if (again) {
        start();
      }
    }
  }
}
