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
 * Many keys of one of Spring's caches at once, which {@link Cache} itself has no call for; {@link
 * CacheableAll} is the same for a method. Thread-safe.
 */
public final class SheafCaches {

  private final CacheManager manager;
  private final GuardedCacheWriter writer;

  /**
   * Creates the calls.
   *
   * @param writer for caches that have another one
   */
  SheafCaches(CacheManager manager, GuardedCacheWriter writer) {
    this.manager = manager;
    this.writer = writer;
  }

  /**
   * Reads many keys of a cache: those it has in one round trip, the others with one call of the
   * loader, whose values are then cached in one write, as {@code @Cacheable} would. While Redis is
   * slow or lost, the loader is asked for all.
   *
   * <p>Keys that another thread of this JVM is loading, by this call or by {@code @Cacheable(sync =
   * true)}, are waited for, {@code sheaf.cache.load-timeout} at most. If that takes longer or
   * fails, the loader is called once more, with these keys.
   *
   * <p>To read a key here does not prolong its time to idle, if the cache has one.
   *
   * @param cacheName of a cache that Redis keeps
   * @param keys any number; equal ones are read once
   * @param loader given keys that the cache does not have, at least one; a key that its map leaves
   *     out or maps to null has no value, which is remembered if the cache allows null values
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

  /** Loads keys, adds their values to those there are, and has the cache remember them. */
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
