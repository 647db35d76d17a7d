// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * The jittered delays between PINGs and between attempts to connect, so that instances that start
 * or lose their server at the same time do not stay in step. Thread-safe if the random generator
 * is.
 */
final class Jitter {

  /** The longest delay before the first attempt after a loss, which usually succeeds. */
  static final Duration FIRST_RECONNECT = Duration.ofMillis(20);

  /** Twice this before the second attempt, four times before the third, up to half the interval. */
  static final Duration RECONNECT_STEP = Duration.ofMillis(25);

  /** The share of the interval by which a delay is shortened at most. */
  private static final double SHARE = 0.4;

  private static final int MAX_DOUBLINGS = 16;

  private final long intervalNanos;
  private final RandomGenerator random;

  Jitter(Duration interval) {
    this(interval, () -> ThreadLocalRandom.current().nextLong());
  }

  Jitter(Duration interval, RandomGenerator random) {
    this.intervalNanos = interval.toNanos();
    this.random = random;
  }

  /** The delay before the first PING: anywhere in the interval. */
  long startOffsetNanos() {
    return (long) (random.nextDouble() * intervalNanos);
  }

  /** The delay between two PINGs: the interval, shortened by up to its share. */
  long pauseNanos() {
    return (long) (intervalNanos * (1 - SHARE * random.nextDouble()));
  }

  /**
   * The delay before an attempt to connect.
   *
   * @param failures how many attempts in a row have failed
   */
  long reconnectNanos(int failures) {
    if (failures == 0) {
      return (long) (random.nextDouble() * FIRST_RECONNECT.toNanos());
    }
    long step = RECONNECT_STEP.toNanos() << Math.min(failures, MAX_DOUBLINGS);
    long longest = Math.min(step, intervalNanos / 2);
    return (long) (longest * (1 + random.nextDouble()) / 2);
  }
}
