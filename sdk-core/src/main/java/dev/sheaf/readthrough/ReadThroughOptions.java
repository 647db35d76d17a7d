package dev.sheaf.readthrough;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a read-through reads, loads and writes back. Immutable; {@link #defaults()} fits most caches,
 * the {@code with} methods change one thing.
 *
 * @param readTimeout how long to wait for Redis before the loader is called; 200 ms by default
 * @param ttlJitter by which share each TTL is lengthened or shortened at random, 0 to 0.5, so that
 *     what was written together does not expire together; 0.1 by default
 * @param maxLoads how many keys may be under load at once, at least 1; 10,000 by default. Beyond
 *     that callers load for themselves, without sharing
 * @param maxPendingWrites how many values may wait to be written back, at least 1; 1,024 by
 *     default. Beyond that values are not cached
 * @param absent the value that stands in Redis for "there is none"; null, the default, to cache
 *     only values. It must be one that no loader returns
 * @param absentTtl how long that is remembered; of no meaning without {@code absent}
 * @param earlyRefresh how eagerly a value is loaded again shortly before it expires, 0 to 100; 0,
 *     the default, for not at all, 1 for the optimum of the literature. Each hit then asks for the
 *     key's remaining time, too
 * @param <V> the type of values
 */
public record ReadThroughOptions<V>(
    Duration readTimeout,
    double ttlJitter,
    int maxLoads,
    int maxPendingWrites,
    @Nullable V absent,
    Duration absentTtl,
    double earlyRefresh) {

  private static final double MAX_TTL_JITTER = 0.5;
  private static final double MAX_EARLY_REFRESH = 100;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if one is out of its range; the message names it
   */
  public ReadThroughOptions {
    requirePositive("readTimeout", readTimeout);
    requireIn("ttlJitter", ttlJitter, MAX_TTL_JITTER);
    requireAtLeastOne("maxLoads", maxLoads);
    requireAtLeastOne("maxPendingWrites", maxPendingWrites);
    requirePositive("absentTtl", absentTtl);
    requireIn("earlyRefresh", earlyRefresh, MAX_EARLY_REFRESH);
  }

  private static void requirePositive(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive, but was " + value);
    }
  }

  private static void requireIn(String name, double value, double maximum) {
    if (!(value >= 0 && value <= maximum)) {
      throw new IllegalArgumentException(
          name + " must be from 0 to " + maximum + ", but was " + value);
    }
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but was " + value);
    }
  }

  /** The defaults named above. */
  public static <V> ReadThroughOptions<V> defaults() {
    return new ReadThroughOptions<>(
        Duration.ofMillis(200), 0.1, 10_000, 1_024, null, Duration.ofMinutes(1), 0);
  }

  /** These options with another {@link #readTimeout()}. */
  public ReadThroughOptions<V> withReadTimeout(Duration readTimeout) {
    return new ReadThroughOptions<>(
        readTimeout, ttlJitter, maxLoads, maxPendingWrites, absent, absentTtl, earlyRefresh);
  }

  /** These options with another {@link #ttlJitter()}. */
  public ReadThroughOptions<V> withTtlJitter(double ttlJitter) {
    return new ReadThroughOptions<>(
        readTimeout, ttlJitter, maxLoads, maxPendingWrites, absent, absentTtl, earlyRefresh);
  }

  /** These options with other limits. */
  public ReadThroughOptions<V> withLimits(int maxLoads, int maxPendingWrites) {
    return new ReadThroughOptions<>(
        readTimeout, ttlJitter, maxLoads, maxPendingWrites, absent, absentTtl, earlyRefresh);
  }

  /** These options, remembering for a while that there is no value. */
  public ReadThroughOptions<V> withNegativeCaching(V absent, Duration absentTtl) {
    return new ReadThroughOptions<>(
        readTimeout,
        ttlJitter,
        maxLoads,
        maxPendingWrites,
        Objects.requireNonNull(absent, "absent"),
        absentTtl,
        earlyRefresh);
  }

  /** These options with another {@link #earlyRefresh()}. */
  public ReadThroughOptions<V> withEarlyRefresh(double earlyRefresh) {
    return new ReadThroughOptions<>(
        readTimeout, ttlJitter, maxLoads, maxPendingWrites, absent, absentTtl, earlyRefresh);
  }
}
