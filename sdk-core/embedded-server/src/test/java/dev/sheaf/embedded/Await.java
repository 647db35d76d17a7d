// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what others bring about, on a machine that may be busy with other things. */
public final class Await {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Await() {}

  public static void until(String what, Callable<Boolean> condition) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!holds(condition)) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("waited " + LIMIT.toSeconds() + " s for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private static boolean holds(Callable<Boolean> condition) {
    try {
      return condition.call();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
