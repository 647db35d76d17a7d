// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The shortest time between the beginnings of two actions of a kind. Turns are taken one after the
 * other, each at a random moment of a short time after it was asked for, so that many processes
 * which notice the same failure do not act in step. Thread-safe.
 */
public final class Pace {

  /** Cluster topologies are read once a second in a JVM at most, each within 200 ms at random. */
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
   * Begins with a turn that is free.
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

  /** A pace without jitter. */
  public static Pace of(Duration spacing) {
    return new Pace(spacing, Duration.ZERO, System::nanoTime, () -> 0);
  }

  /** Takes the next turn, and gives the time until then in nanoseconds. */
  public synchronized long takeTurn() {
    long now = clock.getAsLong();
    long wanted = now + (long) (random.nextDouble() * jitterNanos);
    long turn = wanted - next > 0 ? wanted : next;
    next = turn + spacingNanos;
    return turn - now;
  }
}
