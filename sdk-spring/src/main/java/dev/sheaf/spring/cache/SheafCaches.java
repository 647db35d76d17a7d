// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.nio.ByteBuffer;
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
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.data.redis.cache.RedisCache;

/**
 * Bulk operations on one of Spring's caches, which {@link Cache} itself lacks. {@link CacheableAll}
 * offers the same for a method. Thread-safe.
 */
public final class SheafCaches {

  private final CacheManager manager;
  private final GuardedCacheWriter writer;

  /**
   * Creates the operations.
   *
   * @param writer for caches with another writer
   */
  SheafCaches(CacheManager manager, GuardedCacheWriter writer) {
    this.manager = manager;
    this.writer = writer;
  }

  /**
   * Reads many keys of a cache: cached values in one round trip, and the others with one call of
   * the loader. Loaded values are cached in one write, as {@code @Cacheable} would do. While Redis
   * is slow or unavailable, the loader is called for all keys.
   *
   * <p>Waits for keys that another thread of this JVM is loading, by this call or by
   * {@code @Cacheable(sync = true)}, at most {@code sheaf.cache.load-timeout}. If that takes longer
   * or fails, the loader is called once more with these keys.
   *
   * <p>Reading a key here does not extend its time to idle, if the cache has one.
   *
   * @param cacheName the name of a cache in Redis
   * @param keys any number; equal keys are read once
   * @param loader called with the keys that are not cached, at least one. A key that its map omits
   *     or maps to null has no value, which is cached if the cache allows null values
   * @return the values that exist, in the order of the keys; unmodifiable
   * @throws IllegalArgumentException if the cache does not exist, or is not in Redis
   * @throws NullPointerException if an argument or a key is null
   * @throws IllegalStateException if the connection factory does not batch
   * @throws RuntimeException from the loader; nothing is cached then
   */
  public <K, V> Map<K, V> getAll(
      String cacheName,
      Collection<? extends K> keys,
      Function<? super Set<K>, ? extends Map<K, ? extends @Nullable V>> loader) {
    CacheEntries entries = entries(cacheName);
    Map<K, byte[]> stored = new LinkedHashMap<>();
    keys.forEach(
        key ->
            stored.computeIfAbsent(
                Objects.requireNonNull(key, "A key is null"), k -> entries.storedKey(k)));
    Map<K, @Nullable V> values = entries.read(stored);
    Map<ByteBuffer, K> missing = new LinkedHashMap<>();
    Set<K> sameEntry = new LinkedHashSet<>();
    stored.forEach(
        (key, bytes) -> {
          if (!values.containsKey(key)
              && missing.putIfAbsent(ByteBuffer.wrap(bytes), key) != null) {
            sameEntry.add(key);
          }
        });
    if (!missing.isEmpty()) {
      Function<Set<K>, Map<K, byte[]>> load =
          wanted -> loaded(entries, stored, wanted, loader, values);
      entries
          .loads()
          .loadAll(missing, load)
          .forEach(
              (key, bytes) -> values.put(key, bytes == null ? null : entries.<V>decoded(bytes)));
      sameEntry.forEach(
          key -> values.put(key, values.get(missing.get(ByteBuffer.wrap(stored.get(key))))));
    }
    return inOrder(stored.keySet(), values);
  }

  /** Loads keys, adds their values to the cached ones, and caches them. */
  private static <K, V> Map<K, byte[]> loaded(
      CacheEntries entries,
      Map<K, byte[]> stored,
      Set<K> wanted,
      Function<? super Set<K>, ? extends Map<K, ? extends @Nullable V>> loader,
      Map<K, @Nullable V> values) {
    Map<K, ? extends @Nullable V> found = loader.apply(Collections.unmodifiableSet(wanted));
    Map<K, @Nullable V> asked = new LinkedHashMap<>();
    wanted.forEach(key -> asked.put(key, found.get(key)));
    Map<K, byte[]> written = entries.write(stored, asked);
    values.putAll(asked);
    return written;
  }

  private CacheEntries entries(String name) {
    Cache cache = manager.getCache(Objects.requireNonNull(name, "cacheName"));
    Cache kept =
        cache instanceof TransactionAwareCacheDecorator decorator
            ? decorator.getTargetCache()
            : cache;
    if (kept instanceof RedisCache redisCache) {
      return new CacheEntries(
          redisCache,
          Objects.requireNonNull(cache),
          redisCache.getNativeCache() instanceof GuardedCacheWriter own ? own : writer);
    }
    throw new IllegalArgumentException(
        kept == null
            ? "There is no cache " + name
            : "The cache " + name + " is not kept by Redis but by " + kept.getClass().getName());
  }

  private static <K, V> Map<K, V> inOrder(Set<K> keys, Map<K, @Nullable V> found) {
    Map<K, V> values = new LinkedHashMap<>();
    for (K key : keys) {
      V value = found.get(key);
      if (value != null) {
        values.put(key, value);
      }
    }
    return Collections.unmodifiableMap(values);
  }
}
