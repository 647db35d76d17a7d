package dev.sheaf.internal.heal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * The pace in which the clients of one JVM ask clusters for their topology: once a second at most,
 * and not in step with other JVMs that notice the same failure. Thread-safe.
 */
public final class RefreshPace {

  /** The shortest time between the beginnings of two looks at a topology. */
  static final Duration SPACING = Duration.ofSeconds(1);

  /** A look begins at a random moment of this time after it was wanted. */
  static final Duration SPREAD = Duration.ofMillis(200);

  /** The pace of this JVM. */
  public static final RefreshPace OF_JVM =
      new RefreshPace(System::nanoTime, () -> ThreadLocalRandom.current().nextLong());

  private final LongSupplier clock;
  private final RandomGenerator random;
  private long next;

  RefreshPace(LongSupplier clock, RandomGenerator random) {
    this.clock = clock;
    this.random = random;
    this.next = clock.getAsLong();
  }

  /** Takes the next turn, and gives the time until then in nanoseconds. */
  synchronized long takeTurn() {
    long now = clock.getAsLong();
    long wanted = now + (long) (random.nextDouble() * SPREAD.toNanos());
    long turn = wanted - next > 0 ? wanted : next;
    next = turn + SPACING.toNanos();
    return turn - now;
  }
}
