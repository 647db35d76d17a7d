// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import dev.sheaf.CheckReturnValue;
import dev.sheaf.Result;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * Batch operations for a {@link RedisTemplate}: reading and writing many keys at once, and loops
 * that read ahead. They use the template's serializers and connection.
 *
 * <pre>{@code
 * for (String id : operations.loop(ids)) {           // instead of: for (String id : ids)
 *   show(redisTemplate.opsForValue().get(id));       // as before: one round trip for many
 * }
 * }</pre>
 *
 * <p>Thread-safe. Calls block. Each call uses the current client of the connection factory.
 *
 * @param <K> the template's type of keys
 * @param <V> the template's type of values
 */
public interface SheafOperations<K, V> {

  /**
   * Returns the operations of a template. They connect at first use. Each call throws an {@link
   * IllegalStateException} if the template's connection factory is stopped or does not batch.
   */
  @CheckReturnValue
  static <K, V> SheafOperations<K, V> over(RedisTemplate<K, V> template) {
    return new TemplateOperations<>(template);
  }

  /**
   * Reads the values of a sequential loop ahead. In its body, {@code opsForValue().get} of the
   * current key is answered from a window that was read in one round trip, also with another
   * template of the same connection factory that serializes keys alike. See {@link
   * dev.sheaf.Sheaf#loop(Collection)} for windows, ages and writes.
   *
   * <p>Inside a pipeline or transaction nothing is read ahead.
   *
   * @throws NullPointerException if the collection is null
   */
  @CheckReturnValue
  Iterable<K> loop(Collection<? extends K> keys);

  /**
   * As {@link #loop(Collection)}, for items that are not keys themselves.
   *
   * @param keyOf returns the key that the body reads for an item, or null for none
   * @throws NullPointerException if an argument is null
   */
  @CheckReturnValue
  <T> Iterable<T> loop(
      Collection<? extends T> items, Function<? super T, ? extends @Nullable K> keyOf);

  /**
   * Runs a blocking body for each item, many at a time, so that their concurrent commands are
   * batched. See {@link dev.sheaf.Sheaf#mapEach}. Bodies do not take part in a transaction that is
   * bound to the calling thread.
   *
   * @return the results in the order of the items; unmodifiable
   */
  <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body);

  /**
   * Reads many keys in one round trip, in any slots.
   *
   * @param keys any number; equal keys are read once
   * @return an outcome for each key, in the order of the keys; unmodifiable. A value that cannot be
   *     deserialized is a failure of its key
   * @throws NullPointerException if the collection or a key is null
   */
  @CheckReturnValue
  Map<K, Result<V>> getAll(Collection<? extends K> keys);

  /**
   * Writes many keys, in one write to each node. Failures are returned, not thrown; see {@link
   * dev.sheaf.Sheaf#setAll(Map)}.
   *
   * @return an outcome for each key, in the order of the map; unmodifiable
   * @throws NullPointerException if the map, a key or a value is null; nothing is written then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values);

  /**
   * As {@link #setAll(Map)}, with a time to live.
   *
   * @param ttl in whole milliseconds, at least one
   * @throws NullPointerException as {@link #setAll(Map)}, or if the time to live is null
   * @throws IllegalArgumentException if the time to live is out of bounds
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Duration ttl);

  /**
   * Deletes many keys, in one write to each node. See {@link dev.sheaf.Sheaf#deleteAll}.
   *
   * @return for each key {@code Value(true)}, that it did not exist, or its failure; unmodifiable
   * @throws NullPointerException if the collection or a key is null; nothing is deleted then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> deleteAll(Collection<? extends K> keys);

  /**
   * Creates a batch: commands that are sent together and whose results are read later. Not
   * thread-safe.
   */
  @CheckReturnValue
  TemplateBatch<K, V> batch();
}
