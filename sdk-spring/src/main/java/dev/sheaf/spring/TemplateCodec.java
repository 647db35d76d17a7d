// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * Encodes and decodes with a template's serializers, which are read at each use. Without a
 * serializer, keys or values are byte arrays.
 */
final class TemplateCodec<K, V> {

  private final RedisTemplate<K, V> template;

  TemplateCodec(RedisTemplate<K, V> template) {
    this.template = template;
  }

  byte[] key(K key) {
    return encode(template.getKeySerializer(), key);
  }

  byte[] rawValue(V value) {
    return encode(template.getValueSerializer(), value);
  }

  @SuppressWarnings("unchecked") // A template's serializers match its types.
  private static <T> byte[] encode(@Nullable RedisSerializer<?> serializer, T object) {
    if (serializer == null && object instanceof byte[] bytes) {
      return bytes;
    }
    if (serializer == null) {
      throw new IllegalArgumentException(
          "The template has no serializer for a " + object.getClass().getName());
    }
    return Objects.requireNonNull(
        ((RedisSerializer<T>) serializer).serialize(object),
        () -> "The serializer of the template made nothing of " + object);
  }

  @SuppressWarnings("unchecked") // A template's serializers match its types.
  @Nullable V value(byte[] stored) {
    RedisSerializer<?> serializer = template.getValueSerializer();
    return serializer == null ? (V) stored : (V) serializer.deserialize(stored);
  }
}
