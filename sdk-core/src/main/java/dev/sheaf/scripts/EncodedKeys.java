package dev.sheaf.scripts;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;

/**
 * The keys of one call as they travel.
 *
 * @param slot the slot they share on a cluster, 0 if there is none
 */
record EncodedKeys(byte[][] keys, int slot) {

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
    byte[][] encoded = new byte[keys.size()][];
    int slot = 0;
    boolean several = false;
    int index = 0;
    for (K key : keys) {
      int position = index;
      Objects.requireNonNull(
          key, () -> "Key " + (position + 1) + " of script '" + script + "' is null");
      encoded[index] = bytes(codec.encodeKey(key));
      if (cluster) {
        int of = SlotHash.getSlot(encoded[index]);
        several |= index > 0 && of != slot;
        slot = index == 0 ? of : slot;
      }
      index++;
    }
    if (several) {
      throw new IllegalArgumentException(severalSlots(script, keys, encoded));
    }
    return new EncodedKeys(encoded, slot);
  }

  private static String severalSlots(String script, List<?> keys, byte[][] encoded) {
    StringBuilder message =
        new StringBuilder("Script '")
            .append(script)
            .append("' was called with keys of different slots, which one node of a cluster cannot")
            .append(" have all: ");
    int listed = Math.min(MAX_LISTED, encoded.length);
    for (int i = 0; i < listed; i++) {
      message
          .append(i == 0 ? "" : ", ")
          .append(shown(keys.get(i)))
          .append(" (slot ")
          .append(SlotHash.getSlot(encoded[i]))
          .append(')');
    }
    if (encoded.length > listed) {
      message.append(" and ").append(encoded.length - listed).append(" more");
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
