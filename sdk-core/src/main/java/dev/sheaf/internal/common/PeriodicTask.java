// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * A task that runs periodically as long as it has something to do, and costs nothing meanwhile.
 *
 * <p>Thread-safe: one run at a time is scheduled, however often it is started.
 */
public final class PeriodicTask {

  private final Timer timer;
  private final long periodNanos;
  private final BooleanSupplier task;
  private final Runnable run = this::run;
  private final AtomicBoolean scheduled = new AtomicBoolean();

  /**
   * Begins stopped.
   *
   * @param task whether it is to run again; if it throws, it is
   */
  public PeriodicTask(Timer timer, long periodNanos, BooleanSupplier task) {
    this.timer = timer;
    this.periodNanos = periodNanos;
    this.task = task;
  }

  /** Has the task run, a period from now at the latest. */
  public void start() {
    if (scheduled.compareAndSet(false, true) && !timer.after(run, periodNanos)) {
      scheduled.set(false);
    }
  }

  private void run() {
    // Before the task looks: what comes behind its look starts it again.
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
