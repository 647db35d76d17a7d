// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A number of times that something may be done within a second. Thread-safe. */
final class PerSecond {

  private final int most;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private long sinceNanos;
  private int taken;

  /**
   * Begins with a second in which nothing was done.
   *
   * @param nanoTime the clock, as {@link System#nanoTime}
   */
  PerSecond(int most, LongSupplier nanoTime) {
    this.most = most;
    this.nanoTime = nanoTime;
    this.sinceNanos = nanoTime.getAsLong();
  }

  /** Whether it may be done once more now; then it counts as done. */
  synchronized boolean tryTake() {
    long now = nanoTime.getAsLong();
    if (now - sinceNanos > TimeUnit.SECONDS.toNanos(1)) {
      sinceNanos = now;
      taken = 0;
    }
    if (taken >= most) {
      return false;
    }
    taken++;
    return true;
  }
}
