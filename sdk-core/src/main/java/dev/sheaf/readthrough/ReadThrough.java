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
 * A cache-aside reader: it gives the value that Redis holds if Redis answers in time, else it calls
 * a loader and writes the loaded value back.
 *
 * <p>A failing or slow Redis never fails a read. It delays a read by the read time-out at most, and
 * is not asked at all while the node is known to be DOWN or SLOW. Loading is single-flight: of all
 * callers of one instance that miss a key at the same time, blocking or not, one loads it and the
 * others wait for that load, for {@link ReadThroughOptions#maxLoadWait()} at most. Values are
 * written back in the background.
 *
 * <p>A loader must not read the key that it loads through the same instance. On its own thread that
 * fails at once; on another thread, or when two loaders read each other's keys, each waits for the
 * other until that time is over.
 *
 * <p>Thread-safe. To change the data, change its source and delete the key.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface ReadThrough<K, V> {

  /** How many keys may be under load at once: 10,000. Beyond that callers load for themselves. */
  int MAX_LOADS = 10_000;

  /** How many values may wait to be written back: 1,024. Beyond that values are not cached. */
  int MAX_PENDING_WRITES = 1_024;

  /**
   * Reads one key; blocks.
   *
   * @param ttl how long Redis is to keep a loaded value; jittered
   * @return the value; null if the loader says that there is none
   * @throws RuntimeException what the loader throws
   * @throws SheafException if the loader throws a checked exception, which is the cause
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread is interrupted, which
   *     stays set
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws IllegalStateException if a loader reads the key that it loads
   * @throws NullPointerException if an argument is null
   */
  @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader);

  /**
   * Reads many keys; blocks. Those in Redis take one round trip, the others one call of the loader,
   * less those that another caller is loading already.
   *
   * @param keys any number; equal keys are read once
   * @param loader is given the keys to load, at least one, unmodifiable. A key without an entry in
   *     its result has no value, and other keys are ignored
   * @return the values there are, in the order of the keys; unmodifiable
   * @throws RuntimeException what a loader throws, this one or that of another caller
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
   * @return the caller's own future: to cancel it concerns no other caller. It fails with what the
   *     loader fails with; if that is a checked exception, with a {@link SheafException} that it
   *     causes
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws NullPointerException if an argument is null
   */
  CompletableFuture<@Nullable V> getAsync(
      K key,
      Duration ttl,
      Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader);

  /**
   * Reads many keys without blocking, as {@link #getAll} does.
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
