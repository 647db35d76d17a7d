// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import dev.sheaf.Result;
import dev.sheaf.Result.Value;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.core.convert.ConversionService;
import org.springframework.data.redis.cache.RedisCache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.util.ReflectionUtils;

/** Bulk access to the entries of a cache, in the format of {@link RedisCache}. Thread-safe. */
final class CacheEntries {

  private final RedisCache cache;
  private final Cache front;
  private final GuardedCacheWriter writer;
  private final RedisCacheConfiguration configuration;

  /**
   * Creates a view.
   *
   * @param front the cache that the application writes to: this cache, or a decorator that delays
   *     writes until a transaction ends
   */
  CacheEntries(RedisCache cache, Cache front, GuardedCacheWriter writer) {
    this.cache = cache;
    this.front = front;
    this.writer = writer;
    this.configuration = cache.getCacheConfiguration();
  }

  /** The loads in progress in this cache. */
  CacheLoads loads() {
    return writer.loads();
  }

  /** Returns the key as {@link RedisCache} writes it. */
  byte[] storedKey(Object key) {
    String text = text(key);
    String whole =
        configuration.usePrefix() ? configuration.getKeyPrefixFor(cache.getName()) + text : text;
    return bytes(configuration.getKeySerializationPair().write(whole));
  }

  private String text(Object key) {
    if (key instanceof String string) {
      return string;
    }
    ConversionService conversions = configuration.getConversionService();
    if (conversions.canConvert(key.getClass(), String.class)) {
      return Objects.requireNonNull(conversions.convert(key, String.class));
    }
    Method toString = ReflectionUtils.findMethod(key.getClass(), "toString");
    if (toString == null || toString.getDeclaringClass() == Object.class) {
      throw new IllegalStateException(
          "A "
              + key.getClass().getName()
              + " cannot be the key of a cache: give it a toString(), or register a Converter to"
              + " String");
    }
    return key.toString();
  }

  private static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /** Returns the cached values that can be decoded, in no order; null for a cached null. */
  <K, V> Map<K, @Nullable V> read(Map<K, byte[]> keys) {
    Map<byte[], Result<byte[]>> results = writer.getAll(cache.getName(), keys.values());
    Map<K, @Nullable V> known = new LinkedHashMap<>();
    keys.forEach(
        (key, stored) -> {
          if (results.get(stored) instanceof Value<byte[]> value) {
            V decoded = this.<V>decoded(value.value());
            if (decoded != null || isNull(value.value())) {
              known.put(key, decoded);
            }
          }
        });
    return known;
  }

  private boolean isNull(byte[] stored) {
    return configuration.getAllowCacheNullValues() && Arrays.equals(stored, CacheValues.NULL_VALUE);
  }

  // Returns the value that the application has put there.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  <V> @Nullable V decoded(byte[] stored) {
    return isNull(stored)
        ? null
        : (V) configuration.getValueSerializationPair().read(ByteBuffer.wrap(stored));
  }

  /**
   * Writes the values that the cache accepts, without waiting.
   *
   * @return the written values in their stored form
   */
  <K> Map<K, byte[]> write(Map<K, byte[]> keys, Map<K, ? extends @Nullable Object> values) {
    Map<K, byte[]> stored = new LinkedHashMap<>();
    values.forEach(
        (key, value) -> {
          if (value != null) {
            stored.put(key, bytes(configuration.getValueSerializationPair().write(value)));
          } else if (configuration.getAllowCacheNullValues()) {
            stored.put(key, CacheValues.NULL_VALUE);
          }
        });
    if (hasItsOwnWay()) {
      stored.keySet().forEach(key -> front.put(Objects.requireNonNull(key), values.get(key)));
    } else {
      byTimeToLive(keys, values, stored)
          .forEach((ttl, entries) -> writer.putAll(cache.getName(), entries, ttl));
    }
    return stored;
  }

  /** Returns whether writes must pass a subclass, a writer of the application, or a transaction. */
  @SuppressWarnings("ReferenceEquality") // Identity: this cache, or a decorator of it.
  private boolean hasItsOwnWay() {
    return front != cache
        || cache.getClass() != RedisCache.class
        || cache.getNativeCache() != writer;
  }

  @SuppressWarnings("ArrayAsKeyOfSetOrMap") // Keys are distinct; nothing is looked up.
  private <K> Map<Duration, Map<byte[], byte[]>> byTimeToLive(
      Map<K, byte[]> keys, Map<K, ? extends @Nullable Object> values, Map<K, byte[]> stored) {
    Map<Duration, Map<byte[], byte[]>> groups = new LinkedHashMap<>();
    stored.forEach(
        (key, bytes) -> {
          Duration ttl =
              configuration
                  .getTtlFunction()
                  .getTimeToLive(Objects.requireNonNull(key), values.get(key));
          groups
              .computeIfAbsent(ttl, group -> new LinkedHashMap<>())
              .put(Objects.requireNonNull(keys.get(key)), bytes);
        });
    return groups;
  }
}
