// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A key of a call with its encoded form.
 *
 * @param given the key as the caller passed it
 * @param bytes its encoded form
 * @param slot its slot on a cluster, otherwise 0
 */
record EncodedKey<K>(K given, byte[] bytes, int slot) {

  /** How many keys a message lists. */
  private static final int MAX_LISTED = 8;

  static <K> EncodedKey<K> of(K key, RedisCodec<K, ?> codec, boolean cluster) {
    byte[] bytes = bytes(codec.encodeKey(key));
    return new EncodedKey<>(key, bytes, cluster ? SlotHash.getSlot(bytes) : 0);
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /** Returns the slot that the keys share; 0 if there are none. */
  static int slotOf(List<? extends EncodedKey<?>> keys) {
    return keys.isEmpty() ? 0 : keys.get(0).slot();
  }

  /**
   * Encodes the keys of one call. On a cluster, checks that they share a slot.
   *
   * @throws NullPointerException if a key is null
   * @throws IllegalArgumentException if the keys are in several slots; the message lists them
   */
  static <K> List<EncodedKey<K>> all(
      String script, List<? extends K> keys, RedisCodec<K, ?> codec, boolean cluster) {
    List<EncodedKey<K>> encoded = new ArrayList<>(keys.size());
    for (K key : keys) {
      Objects.requireNonNull(
          key, () -> "Key " + (encoded.size() + 1) + " of script '" + script + "' is null");
      encoded.add(of(key, codec, cluster));
    }
    if (encoded.stream().anyMatch(key -> key.slot() != slotOf(encoded))) {
      throw new IllegalArgumentException(severalSlots(script, encoded));
    }
    return encoded;
  }

  private static String severalSlots(String script, List<? extends EncodedKey<?>> keys) {
    StringBuilder message =
        new StringBuilder("Script '")
            .append(script)
            .append("' was called with keys of different slots, which one node of a cluster cannot")
            .append(" have all: ");
    int listed = Math.min(MAX_LISTED, keys.size());
    for (int i = 0; i < listed; i++) {
      message
          .append(i == 0 ? "" : ", ")
          .append(keys.get(i).shown())
          .append(" (slot ")
          .append(keys.get(i).slot())
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

  String shown() {
    return given instanceof byte[] ? new String(bytes, StandardCharsets.UTF_8) : given.toString();
  }
}
