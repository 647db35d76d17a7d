// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A rate limiter with jitter: actions start at least an interval apart. Each is delayed by a short
 * random time, so that many processes that notice the same failure do not act in step. Thread-safe.
 */
public final class Pace {

  /** At most one topology refresh per second in a JVM, each delayed by up to 200 ms. */
  public static final Pace TOPOLOGY =
      new Pace(
          Duration.ofSeconds(1),
          Duration.ofMillis(200),
          System::nanoTime,
          () -> ThreadLocalRandom.current().nextLong());

  private final long spacingNanos;
  private final long jitterNanos;
  private final LongSupplier clock;
  private final RandomGenerator random;
  private long next;

  /**
   * Creates a rate limiter whose first turn is free.
   *
   * @param clock as System.nanoTime
   */
  public Pace(Duration spacing, Duration jitter, LongSupplier clock, RandomGenerator random) {
    this.spacingNanos = spacing.toNanos();
    this.jitterNanos = jitter.toNanos();
    this.clock = clock;
    this.random = random;
    this.next = clock.getAsLong();
  }

  /** A rate limiter without jitter. */
  public static Pace of(Duration spacing) {
    return new Pace(spacing, Duration.ZERO, System::nanoTime, () -> 0);
  }

  /** Takes the next turn and returns the delay until then, in nanoseconds. */
  public synchronized long takeTurn() {
    long now = clock.getAsLong();
    long wanted = now + (long) (random.nextDouble() * jitterNanos);
    long turn = wanted - next > 0 ? wanted : next;
    next = turn + spacingNanos;
    return turn - now;
  }
}
