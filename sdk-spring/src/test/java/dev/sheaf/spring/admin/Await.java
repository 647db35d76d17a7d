// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what others bring about. */
final class Await {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Await() {}

  static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("Not within " + LIMIT.toSeconds() + " s");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }
}
