// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import dev.sheaf.Result;
import dev.sheaf.Result.Absent;
import dev.sheaf.Result.Failure;
import dev.sheaf.Result.Value;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.RedisTemplate;

/** The implementation of {@link SheafOperations}. */
final class TemplateOperations<K, V> implements SheafOperations<K, V> {

  private final TemplateCodec<K, V> codec;
  private final RedisTemplate<K, V> template;

  TemplateOperations(RedisTemplate<K, V> template) {
    this.template = Objects.requireNonNull(template, "template");
    this.codec = new TemplateCodec<>(template);
  }

  private Sheaf<byte[], byte[]> sheaf() {
    return BatchingConnectionFactory.require(template.getConnectionFactory()).shared();
  }

  @Override
  public Iterable<K> loop(Collection<? extends K> keys) {
    return loop(keys, key -> key);
  }

  @Override
  public <T> Iterable<T> loop(
      Collection<? extends T> items, Function<? super T, ? extends @Nullable K> keyOf) {
    Objects.requireNonNull(keyOf, "keyOf");
    return sheaf()
        .loop(
            items,
            item -> {
              K key = keyOf.apply(item);
              return key == null ? null : codec.key(key);
            });
  }

  @Override
  public <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body) {
    return sheaf().mapEach(items, body);
  }

  @Override
  public Map<K, Result<V>> getAll(Collection<? extends K> keys) {
    Map<K, byte[]> raw = encoded(keys);
    return outcomes(raw, sheaf().getAll(raw.values()), this::decoded);
  }

  private Result<V> decoded(Result<byte[]> result) {
    if (result instanceof Value<byte[]> stored) {
      try {
        V value = codec.value(stored.value());
        return value == null ? new Absent<>() : new Value<>(value);
      } catch (RuntimeException e) {
        return new Failure<>(
            new SheafException("The value cannot be deserialized: " + e.getMessage(), e));
      }
    }
    return result instanceof Failure<byte[]> failure
        ? new Failure<>(failure.error())
        : new Absent<>();
  }

  @Override
  public Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values) {
    return setAll(values, Sheaf::setAll);
  }

  @Override
  public Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Duration ttl) {
    Objects.requireNonNull(ttl, "ttl");
    return setAll(values, (sheaf, raw) -> sheaf.setAll(raw, ttl));
  }

  private interface Setting {
    Map<byte[], Result<Boolean>> set(Sheaf<byte[], byte[]> sheaf, Map<byte[], byte[]> values);
  }

  @SuppressWarnings("ArrayAsKeyOfSetOrMap") // Compared by identity, matched by order.
  private Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Setting setting) {
    Map<K, byte[]> keys = new LinkedHashMap<>();
    Map<byte[], byte[]> raw = new LinkedHashMap<>();
    values.forEach(
        (key, value) -> {
          byte[] encoded = codec.key(Objects.requireNonNull(key, "A key is null"));
          keys.put(key, encoded);
          raw.put(
              encoded,
              codec.rawValue(
                  Objects.requireNonNull(value, () -> "The value of " + key + " is null")));
        });
    return outcomes(keys, setting.set(sheaf(), raw), Function.identity());
  }

  @Override
  public Map<K, Result<Boolean>> deleteAll(Collection<? extends K> keys) {
    Map<K, byte[]> raw = encoded(keys);
    return outcomes(raw, sheaf().deleteAll(raw.values()), Function.identity());
  }

  @Override
  public TemplateBatch<K, V> batch() {
    return new TemplateBatch<>(sheaf().batch(), codec);
  }

  private Map<K, byte[]> encoded(Collection<? extends K> keys) {
    Map<K, byte[]> raw = new LinkedHashMap<>();
    for (K key : keys) {
      raw.computeIfAbsent(Objects.requireNonNull(key, "A key is null"), codec::key);
    }
    return raw;
  }

  /** To the client each array is a different key, so it finds its own outcome. */
  private static <K, R, T> Map<K, Result<T>> outcomes(
      Map<K, byte[]> keys,
      Map<byte[], Result<R>> results,
      Function<? super Result<R>, ? extends Result<T>> converter) {
    Map<K, Result<T>> outcomes = new LinkedHashMap<>();
    keys.forEach(
        (key, raw) -> outcomes.put(key, converter.apply(Objects.requireNonNull(results.get(raw)))));
    return Collections.unmodifiableMap(outcomes);
  }
}
