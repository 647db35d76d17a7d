// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/**
 * The dense encoding of a HyperLogLog: after the header, registers of six bits, the lowest bits of
 * each byte first.
 */
final class DenseRegisters {
  /** Bytes before the registers, in either encoding. */
  static final int HEADER = 16;

  /** How many registers there are, in either encoding. */
  static final int REGISTERS = 1 << 14;

  static final int LENGTH = HEADER + REGISTERS * 6 / 8;
  private static final int MAX = 63;

  static int get(byte[] value, int register) {
    int at = HEADER + register * 6 / 8;
    return both(value, at) >>> (register * 6 & 7) & MAX;
  }

  static void set(byte[] value, int register, int to) {
    int at = HEADER + register * 6 / 8;
    int shift = register * 6 & 7;
    int changed = (both(value, at) & ~(MAX << shift)) | to << shift;
    value[at] = (byte) changed;
    if (at + 1 < value.length) {
      value[at + 1] = (byte) (changed >>> 8);
    }
  }

  private static int both(byte[] value, int at) {
    int high = at + 1 < value.length ? value[at + 1] & 0xff : 0;
    return high << 8 | (value[at] & 0xff);
  }
}
