// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/** MurmurHash64A, the 64-bit MurmurHash2 of Austin Appleby (public domain). */
final class MurmurHash {
  private static final long M = 0xc6a4a7935bd1e995L;
  private static final int R = 47;

  /** {@code seed} is taken as unsigned. */
  static long hash(byte[] bytes, int seed) {
    long h = Integer.toUnsignedLong(seed) ^ bytes.length * M;
    int whole = bytes.length & ~7;
    for (int at = 0; at < whole; at += 8) {
      long k = word(bytes, at, 8) * M;
      k ^= k >>> R;
      h = (h ^ k * M) * M;
    }
    if (whole < bytes.length) {
      h = (h ^ word(bytes, whole, bytes.length - whole)) * M;
    }
    h ^= h >>> R;
    h *= M;
    return h ^ h >>> R;
  }

  private static long word(byte[] bytes, int from, int count) {
    long word = 0;
    for (int i = 0; i < count; i++) {
      word |= (bytes[from + i] & 0xffL) << (8 * i);
    }
    return word;
  }
}
