// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one call as they travel.
 *
 * @param count how many there are
 * @param first the first one, or null if there is none
 * @param framesOfOthers the others, as they stand in a request
 * @param slot the slot they share on a cluster, 0 if there is none
 */
record EncodedKeys(int count, byte @Nullable [] first, byte[] framesOfOthers, int slot) {

  static final EncodedKeys NONE = new EncodedKeys(0, null, new byte[0], 0);

  /** How many keys a message lists; more help nobody. */
  private static final int MAX_LISTED = 8;

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /**
   * Encodes keys, and on a cluster sees to it that they share a slot.
   *
   * @throws NullPointerException if one is null
   * @throws IllegalArgumentException if they are in several slots; the message lists them
   */
  static <K> EncodedKeys of(
      String script, List<? extends K> keys, RedisCodec<K, ?> codec, boolean cluster) {
    KeyBuffer<K> buffer = new KeyBuffer<>(codec, cluster, keys.size());
    for (K key : keys) {
      Objects.requireNonNull(
          key, () -> "Key " + (buffer.size() + 1) + " of script '" + script + "' is null");
      buffer.add(key);
    }
    for (int i = 1; i < buffer.size(); i++) {
      if (buffer.slot(i) != buffer.slot(0)) {
        throw new IllegalArgumentException(severalSlots(script, buffer));
      }
    }
    return buffer.encoded(0, buffer.size());
  }

  private static String severalSlots(String script, KeyBuffer<?> keys) {
    StringBuilder message =
        new StringBuilder("Script '")
            .append(script)
            .append("' was called with keys of different slots, which one node of a cluster cannot")
            .append(" have all: ");
    int listed = Math.min(MAX_LISTED, keys.size());
    for (int i = 0; i < listed; i++) {
      message
          .append(i == 0 ? "" : ", ")
          .append(shown(keys.key(i)))
          .append(" (slot ")
          .append(keys.slot(i))
          .append(')');
    }
    if (keys.size() > listed) {
      message.append(" and ").append(keys.size() - listed).append(" more");
    }
    return message
        .append(". Give the keys a common {hash tag}, or let scatter() call the script once for")
        .append(" each slot and combine the results")
        .toString();
  }

  static String shown(Object key) {
    return key instanceof byte[] bytes
        ? new String(bytes, java.nio.charset.StandardCharsets.UTF_8)
        : String.valueOf(key);
  }
}
