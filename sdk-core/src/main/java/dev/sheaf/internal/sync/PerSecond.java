// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A rate limit per second. Thread-safe. */
final class PerSecond {

  private final int most;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private long sinceNanos;
  private int taken;

  /**
   * Creates an unused rate limit.
   *
   * @param nanoTime the clock, as {@link System#nanoTime}
   */
  PerSecond(int most, LongSupplier nanoTime) {
    this.most = most;
    this.nanoTime = nanoTime;
    this.sinceNanos = nanoTime.getAsLong();
  }

  /** Takes a permit; false if the limit is reached. */
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
