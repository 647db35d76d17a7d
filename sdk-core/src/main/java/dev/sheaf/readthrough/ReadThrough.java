// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import dev.sheaf.SheafException;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A cache-aside reader: it returns the value in Redis if Redis answers in time, and otherwise calls
 * a loader and writes the loaded value back.
 *
 * <p>A failing or slow Redis never fails a read. It delays a read by at most the read time-out, and
 * is not asked while the node is known to be DOWN or SLOW. Loading is single-flight: if several
 * callers of one instance miss a key at the same time, blocking or not, one loads it and the others
 * wait for that load, at most {@link ReadThroughOptions#maxLoadWait()}. Values are written back in
 * the background.
 *
 * <p>A loader must not read its own key through the same instance. On its own thread that fails at
 * once. On another thread, or if two loaders read each other's keys, each waits for the other until
 * that limit.
 *
 * <p>Thread-safe. To change data, change the source and delete the key.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface ReadThrough<K, V> {

  /** Most keys being loaded at once: 10,000. Beyond that, callers load without sharing. */
  int MAX_LOADS = 10_000;

  /** Most values waiting to be written back: 1,024. Beyond that, values are not cached. */
  int MAX_PENDING_WRITES = 1_024;

  /**
   * Reads one key; blocks.
   *
   * @param ttl the time to live of a loaded value in Redis; jittered
   * @return the value; null if the loader returns null
   * @throws RuntimeException if the loader throws it
   * @throws SheafException if the loader throws a checked exception, which is the cause
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread is interrupted, which
   *     stays set
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws IllegalStateException if a loader reads the key that it loads
   * @throws NullPointerException if an argument is null
   */
  @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader);

  /**
   * Reads many keys; blocks. Takes one round trip to Redis and one call of the loader for the
   * missing keys, except those that another caller is already loading.
   *
   * @param keys any number; equal keys are read once
   * @param loader gets the keys to load, at least one, as an unmodifiable set. Keys without an
   *     entry in its result have no value; other keys are ignored
   * @return the existing values, in the order of the keys; unmodifiable
   * @throws RuntimeException if a loader throws it, this one or that of another caller
   * @throws SheafException if a loader throws a checked exception, which is the cause
   * @throws io.lettuce.core.RedisCommandInterruptedException as for {@link #get}
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws NullPointerException if an argument or a key is null
   */
  Map<K, V> getAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader);

  /**
   * Reads one key without blocking.
   *
   * @param loader starts the load; called on a thread of the client, so it must not block. Its
   *     result is the value, or null if there is none
   * @return a future of the caller's own: cancelling it does not affect others. It fails with the
   *     loader's exception; a checked exception is the cause of a {@link SheafException}
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws NullPointerException if an argument is null
   */
  CompletableFuture<@Nullable V> getAsync(
      K key,
      Duration ttl,
      Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader);

  /**
   * Reads many keys, as {@link #getAll}, without blocking.
   *
   * @param loader starts the load of the missing keys; called on a thread of the client, so it must
   *     not block. A key without an entry in its result has no value
   * @return as for {@link #getAsync}
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws NullPointerException if an argument or a key is null
   */
  CompletableFuture<Map<K, V>> getAllAsync(
      Collection<? extends K> keys,
      Duration ttl,
      Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
          loader);
}
