package dev.sheaf.spring;

import dev.sheaf.Result;
import dev.sheaf.Result.Value;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.support.NullValue;
import org.springframework.data.redis.cache.RedisCache;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Many keys of one of Spring's caches at once, which {@link Cache} itself has no call for.
 * Thread-safe.
 */
public final class SheafCaches {

  private static final byte[] NULL_VALUE =
      Objects.requireNonNull(RedisSerializer.java().serialize(NullValue.INSTANCE));

  private final CacheManager manager;
  private final RedisConnectionFactory factory;
  private final Duration readTimeout;

  SheafCaches(CacheManager manager, RedisConnectionFactory factory, Duration readTimeout) {
    this.manager = manager;
    this.factory = factory;
    this.readTimeout = readTimeout;
  }

  /**
   * Reads many keys of a cache: those it has in one round trip, the others with one call of the
   * loader, whose values are then cached as {@code @Cacheable} would. While Redis is slow or lost,
   * the loader is asked for all.
   *
   * @param cacheName of a cache that Redis keeps
   * @param keys any number; equal ones are read once
   * @param loader given the keys that the cache does not have, at least one; a key that its map
   *     leaves out or maps to null has no value, which is remembered if the cache allows null
   *     values
   * @return the values there are, in the order of the keys; unmodifiable
   * @throws IllegalArgumentException if there is no such cache, or Redis does not keep it
   * @throws NullPointerException if an argument or a key is null
   * @throws IllegalStateException if the connection factory does not batch
   * @throws RuntimeException what the loader throws; nothing is cached then
   */
  public <K, V> Map<K, V> getAll(
      String cacheName,
      Collection<? extends K> keys,
      Function<? super Set<K>, ? extends Map<K, ? extends @Nullable V>> loader) {
    RedisCache cache = cache(cacheName);
    Map<K, byte[]> raw = new LinkedHashMap<>();
    keys.forEach(
        key -> raw.computeIfAbsent(Objects.requireNonNull(key, "key"), k -> raw(cache, k)));
    Map<K, @Nullable V> known = known(cache, raw);
    Set<K> missing = new LinkedHashSet<>(raw.keySet());
    missing.removeAll(known.keySet());
    Map<K, ? extends @Nullable V> loaded =
        missing.isEmpty() ? Map.of() : loader.apply(Collections.unmodifiableSet(missing));
    missing.forEach(key -> remember(cache, key, loaded.get(key)));
    return inOrder(raw.keySet(), known, loaded);
  }

  private RedisCache cache(String name) {
    Cache cache = manager.getCache(Objects.requireNonNull(name, "cacheName"));
    if (cache instanceof RedisCache redisCache) {
      return redisCache;
    }
    throw new IllegalArgumentException(
        cache == null
            ? "There is no cache " + name
            : "The cache " + name + " is not kept by Redis but by " + cache.getClass().getName());
  }

  /** The key as {@code RedisCache} writes it. */
  private static byte[] raw(RedisCache cache, Object key) {
    RedisCacheConfiguration configuration = cache.getCacheConfiguration();
    String text =
        key instanceof String string
            ? string
            : Objects.requireNonNull(
                configuration.getConversionService().convert(key, String.class));
    String whole =
        configuration.usePrefix() ? configuration.getKeyPrefixFor(cache.getName()) + text : text;
    ByteBuffer written = configuration.getKeySerializationPair().write(whole);
    byte[] bytes = new byte[written.remaining()];
    written.get(bytes);
    return bytes;
  }

  private <K, V> Map<K, @Nullable V> known(RedisCache cache, Map<K, byte[]> raw) {
    Map<byte[], Result<byte[]>> results =
        new GuardedRedis(CurrentSheaf.batching(factory), readTimeout).getAll(raw.values());
    Map<K, @Nullable V> known = new LinkedHashMap<>();
    raw.forEach(
        (key, bytes) -> {
          if (results.get(bytes) instanceof Value<byte[]> stored) {
            known.put(key, decoded(cache, stored.value()));
          }
        });
    return known;
  }

  @SuppressWarnings("unchecked") // What the application has put there.
  private static <V> @Nullable V decoded(RedisCache cache, byte[] stored) {
    RedisCacheConfiguration configuration = cache.getCacheConfiguration();
    if (configuration.getAllowCacheNullValues() && Arrays.equals(stored, NULL_VALUE)) {
      return null;
    }
    return (V) configuration.getValueSerializationPair().read(ByteBuffer.wrap(stored));
  }

  private static void remember(RedisCache cache, Object key, @Nullable Object value) {
    if (value != null || cache.getCacheConfiguration().getAllowCacheNullValues()) {
      cache.put(key, value);
    }
  }

  private static <K, V> Map<K, V> inOrder(
      Set<K> keys, Map<K, @Nullable V> known, Map<K, ? extends @Nullable V> loaded) {
    Map<K, V> values = new LinkedHashMap<>();
    for (K key : keys) {
      V value = known.containsKey(key) ? known.get(key) : loaded.get(key);
      if (value != null) {
        values.put(key, value);
      }
    }
    return Collections.unmodifiableMap(values);
  }
}
