package dev.sheaf.readthrough;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads through Redis: the value it holds if it answers in time, else the loader's, which is then
 * written back.
 *
 * <p>A failing or slow Redis never fails a read and delays it by the read time-out at most; while
 * the node is known to be DOWN or SLOW it is not even asked. However many callers of this instance
 * miss the same key at once, one of them loads it and the others wait for that. Writing back
 * happens behind the callers, and is given up when too much of it waits.
 *
 * <p>Calls block. Thread-safe. A read is as fresh as the TTL allows: whoever changes the data has
 * to delete the key.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface ReadThrough<K, V> {

  /**
   * Reads one key.
   *
   * @param ttl how long Redis is to keep a loaded value; jittered
   * @return the value; null if the loader says that there is none
   * @throws RuntimeException what the loader throws
   * @throws LoadFailedException if the loader throws a checked exception
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread is interrupted, which
   *     stays set
   * @throws dev.sheaf.SheafException if the client was closed before anything was asked of it
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws IllegalStateException if a loader reads the key that it loads
   * @throws NullPointerException if an argument is null
   */
  @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader);

  /**
   * Reads many keys: those in Redis in one round trip, the others with one call of the loader, less
   * those that another caller is loading already.
   *
   * @param keys any number; equal keys are read once
   * @return the values there are, in the order of the keys; unmodifiable
   * @throws RuntimeException what a loader throws, this one or the one another caller waits for
   * @throws LoadFailedException if a loader throws a checked exception
   * @throws io.lettuce.core.RedisCommandInterruptedException as for {@link #get}
   * @throws IllegalArgumentException if the TTL is not positive
   * @throws NullPointerException if an argument or a key is null
   */
  Map<K, V> getAll(Collection<? extends K> keys, Duration ttl, BatchLoader<K, V> loader);
}
