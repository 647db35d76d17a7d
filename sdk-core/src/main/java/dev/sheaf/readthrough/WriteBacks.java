package dev.sheaf.readthrough;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes loaded values to Redis behind their readers, up to a bound. Thread-safe. */
final class WriteBacks<K, V> {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.readthrough");

  private final RedisAccess<K, V> redis;
  private final int maxPending;
  private final double ttlJitter;
  private final ReadThroughMeters meters;
  private final AtomicInteger pending = new AtomicInteger();

  WriteBacks(RedisAccess<K, V> redis, ReadThroughOptions<V> options, ReadThroughMeters meters) {
    this.redis = redis;
    this.maxPending = options.maxPendingWrites();
    this.ttlJitter = options.ttlJitter();
    this.meters = meters;
  }

  /** Writes, unless too much waits or nobody would listen. Never fails and never waits. */
  void write(K key, V value, Duration ttl, boolean available) {
    if (!available) {
      meters.write(ReadThroughMeters.Write.SKIPPED);
      return;
    }
    if (pending.incrementAndGet() > maxPending) {
      pending.decrementAndGet();
      meters.write(ReadThroughMeters.Write.DROPPED);
      LOGGER.debug(
          "A loaded value was not cached: {} others wait to be written, which is the limit"
              + " (ReadThroughOptions.maxPendingWrites)",
          maxPending);
      return;
    }
    meters.pending(1);
    try {
      redis.set(key, value, jittered(ttl)).whenComplete((done, failure) -> written(failure));
    } catch (RuntimeException e) {
      written(e);
    }
  }

  private void written(@Nullable Throwable failure) {
    pending.decrementAndGet();
    meters.pending(-1);
    if (failure == null) {
      meters.write(ReadThroughMeters.Write.WRITTEN);
    } else {
      meters.write(ReadThroughMeters.Write.FAILED);
      LOGGER.debug("A loaded value was not cached", failure);
    }
  }

  /** The TTL in milliseconds, moved at random, at least one. */
  long jittered(Duration ttl) {
    double factor = 1 + ttlJitter * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return Math.max(1, Math.round(ttl.toMillis() * factor));
  }
}
