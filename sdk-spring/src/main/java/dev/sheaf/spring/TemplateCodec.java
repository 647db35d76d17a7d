// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;

/**
 * A template's serializers, as they are at each use. Where there is none, the template takes byte
 * arrays.
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

  @SuppressWarnings("unchecked") // The serializers of a template are those of its types.
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

  @SuppressWarnings("unchecked") // The serializers of a template are those of its types.
  @Nullable V value(byte[] stored) {
    RedisSerializer<?> serializer = template.getValueSerializer();
    return serializer == null ? (V) stored : (V) serializer.deserialize(stored);
  }
}
