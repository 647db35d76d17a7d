// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.readthrough.ReadThroughMeters.Outcome;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes loaded values to Redis in the background, a bounded number at a time. Thread-safe. */
final class WriteBacks<K, V> {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.readthrough");

  private final CacheAccess<K, V> redis;
  private final ReadThroughOptions<V> options;
  private final ReadThroughMeters meters;
  private final AtomicInteger pending = new AtomicInteger();

  WriteBacks(CacheAccess<K, V> redis, ReadThroughOptions<V> options, ReadThroughMeters meters) {
    this.redis = redis;
    this.options = options;
    this.meters = meters;
  }

  /**
   * Writes a value, or the marker for none, unless the node is down or too many writes wait. Never
   * throws, even if the codec does: the value was loaded, and its reader gets it.
   */
  void write(K key, @Nullable V value, Duration ttl) {
    V written = value == null ? options.absent() : value;
    if (written == null) {
      return;
    }
    if (!redis.mayUse(key)) {
      meters.count(Outcome.WRITE_SKIPPED);
      return;
    }
    if (pending.incrementAndGet() > ReadThrough.MAX_PENDING_WRITES) {
      pending.decrementAndGet();
      meters.count(Outcome.WRITE_DROPPED);
      LOGGER.debug(
          "A loaded value was not cached: {} others wait to be written, which is the limit"
              + " (ReadThrough.MAX_PENDING_WRITES)",
          ReadThrough.MAX_PENDING_WRITES);
      return;
    }
    try {
      redis
          .set(key, written, jittered(value == null ? options.absentTtl() : ttl))
          .whenComplete((done, failure) -> written(failure));
    } catch (Throwable e) {
      written(e);
    }
  }

  private void written(@Nullable Throwable failure) {
    pending.decrementAndGet();
    meters.count(failure == null ? Outcome.WRITE_WRITTEN : Outcome.WRITE_FAILED);
    if (failure instanceof Error) {
      LOGGER.warn("A loaded value was not cached", failure);
    } else if (failure != null) {
      LOGGER.debug("A loaded value was not cached", failure);
    }
  }

  /** The TTL in milliseconds, jittered, at least one. */
  private long jittered(Duration ttl) {
    double factor = 1 + options.ttlJitter() * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return Math.max(1, Math.round(ttl.toMillis() * factor));
  }
}
