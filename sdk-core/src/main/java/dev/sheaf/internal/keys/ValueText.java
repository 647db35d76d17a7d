// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Decodes values with fewer objects than Lettuce's codec for strings makes. */
final class ValueText {

  private ValueText() {}

  /** Decodes a value as its codec does. */
  @SuppressWarnings("unchecked") // That codec's values are strings.
  static <V> V decoded(RedisCodec<?, V> codec, ByteBuffer bytes) {
    return codec == StringCodec.UTF8 ? (V) text(bytes) : codec.decodeValue(bytes);
  }

  private static String text(ByteBuffer bytes) {
    int length = bytes.remaining();
    if (bytes.hasArray()) {
      return new String(
          bytes.array(), bytes.arrayOffset() + bytes.position(), length, StandardCharsets.UTF_8);
    }
    byte[] copy = new byte[length];
    bytes.get(bytes.position(), copy);
    return new String(copy, StandardCharsets.UTF_8);
  }
}
