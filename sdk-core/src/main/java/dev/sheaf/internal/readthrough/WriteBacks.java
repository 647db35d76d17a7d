// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.internal.readthrough.ReadThroughMeters.Outcome;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes loaded values to Redis in the background, a bounded number at a time. Thread-safe. */
final class WriteBacks<K, V> {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.readthrough");

  /**
   * The share by which each TTL is lengthened or shortened at random: what was written together
   * must not expire together.
   */
  private static final double TTL_JITTER = 0.1;

  private final RedisClusterAsyncCommands<K, V> commands;
  private final NodeWatch<K> watch;
  private final ReadThroughOptions<V> options;
  private final ReadThroughMeters meters;
  private final AtomicInteger pending = new AtomicInteger();

  WriteBacks(
      RedisClusterAsyncCommands<K, V> commands,
      NodeWatch<K> watch,
      ReadThroughOptions<V> options,
      ReadThroughMeters meters) {
    this.commands = commands;
    this.watch = watch;
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
    if (!watch.mayUse(key)) {
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
      long millis = jittered(value == null ? options.absentTtl() : ttl);
      RedisFuture<String> reply = commands.set(key, written, SetArgs.Builder.px(millis));
      // Sends it now, even inside of a batch.
      WriteScope.release();
      reply.whenComplete((done, failure) -> written(failure));
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
    double factor = 1 + TTL_JITTER * (2 * ThreadLocalRandom.current().nextDouble() - 1);
    return Math.max(1, Math.round(ttl.toMillis() * factor));
  }
}
