// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import dev.sheaf.Result;
import dev.sheaf.compression.UnreadableValueException;
import io.lettuce.core.GetExArgs;
import io.lettuce.core.SetArgs;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.cache.CacheStatistics;
import org.springframework.data.redis.cache.CacheStatisticsCollector;
import org.springframework.data.redis.cache.RedisCacheWriter;

/**
 * A cache writer that treats a slow or unavailable Redis as a miss. Writes do not block and stay in
 * order. One caller loads a value while the others wait for it.
 *
 * <p>An eviction while Redis is unavailable is queued by Lettuce and sent after the reconnect.
 * Until then its entry cannot be read either. A failed eviction is logged: the value stays until it
 * expires.
 *
 * <p>Thread-safe.
 */
final class GuardedCacheWriter implements RedisCacheWriter {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  private final RareWarning notEvicted = new RareWarning();
  private final GuardedRedis redis;
  private final RedisCacheWriter plain;
  private final CacheStatisticsCollector statistics;
  private final Duration readTimeout;
  private final CacheLoads loads;
  private final CacheValues values;

  /**
   * Creates a writer.
   *
   * @param plain Spring's own writer, for operations without a time limit: clear and put-if-absent
   */
  GuardedCacheWriter(
      GuardedRedis redis,
      RedisCacheWriter plain,
      Duration readTimeout,
      CacheLoads loads,
      CacheValues values) {
    this(redis, plain, CacheStatisticsCollector.none(), readTimeout, loads, values);
  }

  private GuardedCacheWriter(
      GuardedRedis redis,
      RedisCacheWriter plain,
      CacheStatisticsCollector statistics,
      Duration readTimeout,
      CacheLoads loads,
      CacheValues values) {
    this.redis = redis;
    this.plain = plain;
    this.statistics = statistics;
    this.readTimeout = readTimeout;
    this.loads = loads;
    this.values = values;
  }

  /** The loads in progress in all caches of this writer. */
  CacheLoads loads() {
    return loads;
  }

  /** Returns the values that arrive in time. The others are missing, for any reason. */
  Map<byte[], Result<byte[]>> getAll(String name, Collection<byte[]> keys) {
    Map<byte[], Result<byte[]>> results = redis.getAll(keys);
    keys.forEach(
        key -> {
          Result<byte[]> result = results.get(key);
          if (result instanceof Result.Failure<byte[]> failure) {
            failed(name, failure.error());
          }
          counted(name, result instanceof Result.Value<byte[]> hit ? hit.value() : null);
        });
    return results;
  }

  /**
   * Writes many keys without waiting.
   *
   * @param ttl zero for no expiry
   */
  void putAll(String name, Map<byte[], byte[]> values, Duration ttl) {
    values.keySet().forEach(key -> statistics.incPuts(name));
    redis.setAll(values, expires(ttl) ? ttl : null);
  }

  @Override
  public byte @Nullable [] get(String name, byte[] key) {
    return get(name, key, null);
  }

  @Override
  public byte @Nullable [] get(String name, byte[] key, @Nullable Duration ttl) {
    Consumer<Throwable> failed = failure -> failed(name, failure);
    return counted(
        name, expires(ttl) ? redis.ask(key, read(key, ttl), failed) : redis.get(key, failed));
  }

  /** Not a failure of Redis: a value that no client can decompress. */
  private void failed(String name, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof UnreadableValueException) {
      values.undecodable(name, cause);
    }
  }

  private static GuardedRedis.Call<byte[]> read(byte[] key, @Nullable Duration ttl) {
    return expires(ttl)
        ? redis -> redis.getex(key, GetExArgs.Builder.px(ttl))
        : redis -> redis.get(key);
  }

  private static boolean expires(@Nullable Duration ttl) {
    return ttl != null && ttl.toMillis() > 0;
  }

  private byte @Nullable [] counted(String name, byte @Nullable [] value) {
    statistics.incGets(name);
    if (value == null) {
      statistics.incMisses(name);
    } else {
      statistics.incHits(name);
    }
    return value;
  }

  @Override
  public byte[] get(
      String name,
      byte[] key,
      Supplier<byte[]> valueLoader,
      @Nullable Duration ttl,
      boolean timeToIdleEnabled) {
    byte[] found = get(name, key, timeToIdleEnabled ? ttl : null);
    return found != null && values.canRead(name, found)
        ? found
        : loads.load(
            ByteBuffer.wrap(key),
            () -> {
              byte[] loaded = valueLoader.get();
              put(name, key, loaded, ttl);
              return loaded;
            });
  }

  @Override
  public boolean supportsAsyncRetrieve() {
    return true;
  }

  @Override
  @SuppressWarnings("NullAway") // The interface uses null for a miss.
  public CompletableFuture<byte[]> retrieve(String name, byte[] key, @Nullable Duration ttl) {
    CompletableFuture<byte[]> sent = redis.send(key, read(key, ttl));
    CompletableFuture<byte[]> inTime =
        sent.copy().completeOnTimeout(null, readTimeout.toNanos(), TimeUnit.NANOSECONDS);
    inTime.whenComplete((value, failure) -> sent.cancel(true)); // As in GuardedRedis.ask.
    return inTime
        .exceptionally(
            failure -> {
              failed(name, failure);
              return null;
            })
        .thenApply(value -> counted(name, value));
  }

  @Override
  public void put(String name, byte[] key, byte[] value, @Nullable Duration ttl) {
    store(name, key, value, ttl);
  }

  @Override
  public CompletableFuture<Void> store(
      String name, byte[] key, byte[] value, @Nullable Duration ttl) {
    statistics.incPuts(name);
    return redis
        .send(
            key,
            commands ->
                expires(ttl)
                    ? commands.set(key, value, SetArgs.Builder.px(ttl))
                    : commands.set(key, value))
        .handle((done, failure) -> null);
  }

  @Override
  public byte @Nullable [] putIfAbsent(
      String name, byte[] key, byte[] value, @Nullable Duration ttl) {
    try {
      byte[] found = redis.isUsable() ? plain.putIfAbsent(name, key, value, ttl) : null;
      if (found == null || values.canRead(name, found)) {
        return found;
      }
      put(name, key, value, ttl);
      return null;
    } catch (DataAccessException | IllegalStateException e) {
      return null;
    }
  }

  @Override
  public void evict(String name, byte[] key) {
    evictIfPresent(name, key);
  }

  @Override
  public boolean evictIfPresent(String name, byte[] key) {
    statistics.incDeletes(name);
    Long deleted =
        redis.tell(key, commands -> commands.unlink(key), failure -> notEvicted(name, failure));
    return deleted != null && deleted > 0;
  }

  private void notEvicted(String name, Throwable failure) {
    notEvicted.log(
        () ->
            "An eviction from the cache "
                + name
                + " failed, perhaps one of many; what it concerns stays until it expires: "
                + failure);
  }

  @Override
  public void clear(String name, byte[] pattern) {
    invalidate(name, pattern);
  }

  @Override
  public boolean invalidate(String name, byte[] pattern) {
    if (!redis.isUsable()) {
      return notCleared(name, "Redis does not answer in time");
    }
    try {
      return plain.invalidate(name, pattern);
    } catch (DataAccessException | IllegalStateException e) {
      return notCleared(name, e);
    }
  }

  private static boolean notCleared(String name, Object reason) {
    LOG.warn(
        "The cache " + name + " was not cleared; its values stay until they expire: " + reason);
    return false;
  }

  @Override
  public void clearStatistics(String name) {
    statistics.reset(name);
  }

  @Override
  public RedisCacheWriter withStatisticsCollector(CacheStatisticsCollector collector) {
    return new GuardedCacheWriter(redis, plain, collector, readTimeout, loads, values);
  }

  @Override
  public CacheStatistics getCacheStatistics(String name) {
    return statistics.getCacheStatistics(name);
  }
}
