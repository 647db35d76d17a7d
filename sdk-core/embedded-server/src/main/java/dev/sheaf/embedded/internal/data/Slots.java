// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/** Computes the cluster slot of a key, one of 16384. */
public final class Slots {
  public static final int COUNT = 16384;
  private static final int[] CRC16 = new int[256];

  static {
    for (int i = 0; i < 256; i++) {
      int crc = i << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
      }
      CRC16[i] = crc & 0xffff;
    }
  }

  private Slots() {}

  /**
   * Returns the slot of the key, or of the part between its first { and the next }, unless that is
   * empty.
   */
  public static int of(byte[] key) {
    int from = 0;
    int to = key.length;
    int open = indexOf(key, '{', 0);
    if (open >= 0) {
      int close = indexOf(key, '}', open + 1);
      if (close > open + 1) {
        from = open + 1;
        to = close;
      }
    }
    int crc = 0;
    for (int i = from; i < to; i++) {
      crc = ((crc << 8) & 0xffff) ^ CRC16[((crc >>> 8) ^ key[i]) & 0xff];
    }
    return crc & (COUNT - 1);
  }

  private static int indexOf(byte[] key, char wanted, int from) {
    for (int i = from; i < key.length; i++) {
      if (key[i] == wanted) {
        return i;
      }
    }
    return -1;
  }
}
