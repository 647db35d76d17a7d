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
 * What Sheaf adds to a {@link RedisTemplate}: many keys at once, and loops that read ahead, with
 * the template's serializers and by the template's connection.
 *
 * <pre>{@code
 * for (String id : operations.loop(ids)) {           // instead of: for (String id : ids)
 *   show(redisTemplate.opsForValue().get(id));       // as before: one round trip for many
 * }
 * }</pre>
 *
 * <p>Thread-safe. Calls block; each works with the connection factory's client of that moment.
 *
 * @param <K> the template's type of keys
 * @param <V> the template's type of values
 */
public interface SheafOperations<K, V> {

  /**
   * The operations of a template. They connect when they are used; each call throws an {@link
   * IllegalStateException} if the template's connection factory is stopped or does not batch.
   */
  @CheckReturnValue
  static <K, V> SheafOperations<K, V> over(RedisTemplate<K, V> template) {
    return new TemplateOperations<>(template);
  }

  /**
   * Reads the values of a sequential loop ahead: in its body, {@code opsForValue().get} of the
   * current key, by this template or another one of the same connection factory that serializes
   * keys alike, is answered from a window that is read in one round trip. See {@link
   * dev.sheaf.Sheaf#loop(Collection)} for windows, ages and writes.
   *
   * <p>In a pipeline and in a transaction nothing is read ahead.
   *
   * @throws NullPointerException if the collection is null
   */
  @CheckReturnValue
  Iterable<K> loop(Collection<? extends K> keys);

  /**
   * Reads the values of a loop over other things than keys ahead, as {@link #loop(Collection)}.
   *
   * @param keyOf the key that the body will get for an item, or null for none
   * @throws NullPointerException if an argument is null
   */
  @CheckReturnValue
  <T> Iterable<T> loop(
      Collection<? extends T> items, Function<? super T, ? extends @Nullable K> keyOf);

  /**
   * Runs a blocking body for each item, many at a time, so that what they ask of Redis at the same
   * time travels together. See {@link dev.sheaf.Sheaf#mapEach}; bodies do not see a transaction
   * that is bound to the calling thread.
   *
   * @return the results in the order of the items; unmodifiable
   */
  <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body);

  /**
   * Reads many keys in one round trip, whatever their slots.
   *
   * @param keys any number; equal ones are read once
   * @return an outcome for each key, in their order; unmodifiable. A value that cannot be
   *     deserialized is a failure of its key
   * @throws NullPointerException if the collection or a key is null
   */
  @CheckReturnValue
  Map<K, Result<V>> getAll(Collection<? extends K> keys);

  /**
   * Writes many keys, in one write to each node. See {@link dev.sheaf.Sheaf#setAll(Map)}: look at
   * the failures, nothing is thrown for them.
   *
   * @return an outcome for each key, in the order of the map; unmodifiable
   * @throws NullPointerException if the map, a key or a value is null; nothing is written then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values);

  /**
   * Writes many keys that expire, as {@link #setAll(Map)}.
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

  /** Begins a batch: commands whose results are read later, sent together. Not thread-safe. */
  @CheckReturnValue
  TemplateBatch<K, V> batch();
}
