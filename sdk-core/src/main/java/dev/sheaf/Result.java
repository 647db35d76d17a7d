// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import io.lettuce.core.RedisException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one key in a command for many keys: its value, its absence, or the error of this
 * key alone. Immutable.
 *
 * @param <V> the type of the value
 */
public sealed interface Result<V> {

  /** The key exists. */
  record Value<V>(V value) implements Result<V> {}

  /** The key does not exist. */
  record Absent<V>() implements Result<V> {}

  /** The server or the connection failed for this key. */
  record Failure<V>(RedisException error) implements Result<V> {}

  /** Whether the key has a value. */
  default boolean isPresent() {
    return this instanceof Value;
  }

  /** Whether the server said that the key does not exist. */
  default boolean isAbsent() {
    return this instanceof Absent;
  }

  /** Whether the read of this key failed. */
  default boolean isFailure() {
    return this instanceof Failure;
  }

  /**
   * The value, or null if the key does not exist.
   *
   * @throws RedisException if the read of this key failed
   */
  default @Nullable V orNull() {
    if (this instanceof Value<V> value) {
      return value.value();
    }
    if (this instanceof Failure<V> failure) {
      throw failure.error();
    }
    return null;
  }

  /** The value, or the given one if the key does not exist or its read failed. */
  default V orElse(V other) {
    return this instanceof Value<V> value ? value.value() : other;
  }

  /**
   * The value, or an empty optional if the key does not exist.
   *
   * @throws RedisException if the read of this key failed
   */
  default Optional<V> toOptional() {
    return Optional.ofNullable(orNull());
  }
}
