// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.ToByteBufEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keys on their way into calls: encoded as they come, and handed out by their places in the order
 * of arrival or, once sorted, of their slots. Not thread-safe.
 *
 * <p>There are arrays for all and no object for each, since a scatter shares its cores with
 * whatever else the application does.
 */
final class KeyBuffer<K> {

  private static final int INITIAL_KEYS = 16;
  private static final int INITIAL_KEY_BYTES = 32;

  /** How many bytes of keys are enough: 16 MiB, some 120 for each of the most keys by default. */
  private static final int FULL_BYTES = 16 << 20;

  private final RedisCodec<K, ?> codec;
  private final boolean cluster;
  private final ByteBuf scratch = Unpooled.buffer(INITIAL_KEY_BYTES);
  private final List<K> keys;
  private final Frames frames;

  /** Where the frame of each key begins; that of the last one ends where the frames do. */
  private int[] starts;

  private int[] slots;
  private int @Nullable [] sorted;

  KeyBuffer(RedisCodec<K, ?> codec, boolean cluster, int expectedKeys) {
    int capacity = Math.max(1, Math.min(expectedKeys, INITIAL_KEYS));
    this.codec = codec;
    this.cluster = cluster;
    this.keys = new ArrayList<>(capacity);
    this.frames = new Frames(capacity * INITIAL_KEY_BYTES);
    this.starts = new int[capacity];
    this.slots = new int[cluster ? capacity : 0];
  }

  int size() {
    return keys.size();
  }

  /** Whether it holds so many bytes that no more should be added, however few keys they are. */
  boolean isFull() {
    return frames.length() >= FULL_BYTES;
  }

  void clear() {
    keys.clear();
    frames.clear();
    sorted = null;
  }

  /** Drops the keys that were added first; not once they are sorted. */
  void removeFirst(int count) {
    int rest = size() - count;
    if (rest == 0) {
      clear();
      return;
    }
    int dropped = starts[count];
    frames.removeFirst(dropped);
    keys.subList(0, count).clear();
    for (int i = 0; i < rest; i++) {
      starts[i] = starts[count + i] - dropped;
    }
    if (cluster) {
      System.arraycopy(slots, count, slots, 0, rest);
    }
  }

  /**
   * Adds a key behind the others.
   *
   * @throws RuntimeException whatever the codec throws
   */
  void add(K key) {
    int index = keys.size();
    if (index == starts.length) {
      starts = Arrays.copyOf(starts, 2 * index);
      slots = cluster ? Arrays.copyOf(slots, 2 * index) : slots;
    }
    encode(key);
    int length = scratch.readableBytes();
    byte[] bytes = scratch.array();
    starts[index] = frames.length();
    if (cluster) {
      slots[index] = SlotHash.getSlot(ByteBuffer.wrap(bytes, 0, length));
    }
    frames.add(bytes, 0, length);
    keys.add(key);
  }

  @SuppressWarnings("unchecked") // What encodes a codec's keys to a buffer has its type of key.
  private void encode(K key) {
    scratch.clear();
    if (codec instanceof ToByteBufEncoder) {
      ((ToByteBufEncoder<K, ?>) codec).encodeKey(key, scratch);
    } else {
      scratch.writeBytes(codec.encodeKey(key));
    }
  }

  /** Puts keys of one slot next to each other. Those of a slot stay in their order. */
  void sortBySlot() {
    int[] ends = new int[SlotHash.SLOT_COUNT + 1];
    for (int i = 0; i < size(); i++) {
      ends[slots[i] + 1]++;
    }
    for (int slot = 0; slot < SlotHash.SLOT_COUNT; slot++) {
      ends[slot + 1] += ends[slot];
    }
    int[] order = new int[size()];
    for (int i = 0; i < size(); i++) {
      order[ends[slots[i]]++] = i;
    }
    sorted = order;
  }

  private int index(int place) {
    return sorted == null ? place : sorted[place];
  }

  /** The slot of the key at a place; 0 if there are none. */
  int slot(int place) {
    return cluster ? slots[index(place)] : 0;
  }

  K key(int place) {
    return keys.get(index(place));
  }

  /** The keys at some places, as they were given. A copy. */
  List<K> keys(int from, int to) {
    List<K> copy = new ArrayList<>(to - from);
    for (int place = from; place < to; place++) {
      copy.add(key(place));
    }
    return copy;
  }

  /** The keys at some places, as they travel. */
  EncodedKeys encoded(int from, int to) {
    if (from == to) {
      return EncodedKeys.NONE;
    }
    int length = 0;
    for (int place = from + 1; place < to; place++) {
      length += end(index(place)) - starts[index(place)];
    }
    byte[] others = new byte[length];
    int at = 0;
    for (int place = from + 1; place < to; place++) {
      int index = index(place);
      frames.copy(starts[index], end(index), others, at);
      at += end(index) - starts[index];
    }
    return new EncodedKeys(to - from, firstKey(index(from)), others, slot(from));
  }

  private byte[] firstKey(int index) {
    int start = starts[index];
    int end = end(index) - 2;
    while (frames.at(start) != '\n') {
      start++;
    }
    return frames.copy(start + 1, end);
  }

  private int end(int index) {
    return index + 1 < size() ? starts[index + 1] : frames.length();
  }
}
