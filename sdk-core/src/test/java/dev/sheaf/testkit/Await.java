// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for a condition. A bound is there so that a test ends, not so that it is quick: no machine
 * is so busy that a minute is too little.
 */
public final class Await {
  private static final Duration SHORTEST_BOUND = Duration.ofSeconds(60);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

  private Await() {}

  /**
   * Blocks until the condition holds. An exception out of the condition counts as "not yet".
   *
   * @param what the awaited state, as it should read after "waiting for" in the error
   * @param timeout how long to wait; less than a minute is taken for a minute
   * @throws AssertionError if the condition does not hold within the timeout; its cause is the last
   *     exception of the condition, if there was one
   */
  public static void until(String what, Duration timeout, Callable<Boolean> condition) {
    until(what, timeout, condition, () -> "");
  }

  /** As {@link #until(String, Duration, Callable)}, with details for the error. */
  public static void until(
      String what, Duration timeout, Callable<Boolean> condition, Supplier<String> details) {
    Duration bound = timeout.compareTo(SHORTEST_BOUND) < 0 ? SHORTEST_BOUND : timeout;
    within(bound, what, condition, details);
  }

  /** As {@link #until(String, Duration, Callable, Supplier)}, with exactly this bound. */
  static void within(
      Duration timeout, String what, Callable<Boolean> condition, Supplier<String> details) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Exception lastFailure = null;
      try {
        if (condition.call()) {
          return;
        }
      } catch (Exception e) {
        lastFailure = e;
      }
      if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
        String message =
            "gave up after " + timeout.toMillis() + " ms waiting for " + what + details.get();
        throw new AssertionError(message, lastFailure);
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }
}
