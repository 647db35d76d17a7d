// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;

/**
 * The sparse encoding of a HyperLogLog: after the header, runs of equal registers. {@code 00llllll}
 * is a run of up to 64 zeros, {@code 01llllll llllllll} of up to 16,384 zeros, {@code 1vvvvvll} of
 * up to 4 registers with a value of up to 32; lengths and values are stored less one.
 *
 * <p>The same registers have several encodings. Which one results, and so the length of a value,
 * depends on the order of changes. Runs are split and joined exactly where Redis does it.
 */
final class SparseRegisters {
  /** The outcomes of raising a register. */
  enum Outcome {
    SAME,
    RAISED,
    TOO_LARGE,
    CORRUPT
  }

  private static final int MAX_VALUE = 32;
  private static final int MAX_VALUE_RUN = 4;
  private static final int MAX_SHORT_ZEROS = 64;

  /** A run of zeros becomes at most three runs: two bytes, one, and two. */
  private static final int LONGEST_SPLIT = 5;

  /** How many runs Redis scans for two to join. */
  private static final int JOINED = 5;

  private byte[] bytes;
  private int length;

  SparseRegisters(byte[] value) {
    bytes = value.clone();
    length = value.length;
  }

  /** Returns a header with all registers zero. */
  static byte[] empty() {
    byte[] value = new byte[DenseRegisters.HEADER + 2];
    zeros(value, DenseRegisters.HEADER, DenseRegisters.REGISTERS);
    return value;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, length);
  }

  /** Visits runs in order. */
  interface Visitor {
    void run(int first, int count, int value);
  }

  /** Returns false if the runs do not make up all registers; some have been visited then. */
  static boolean visit(byte[] value, Visitor visitor) {
    int register = 0;
    for (int at = DenseRegisters.HEADER; at < value.length; at += width(value[at])) {
      int count = count(value, at);
      if (register + count > DenseRegisters.REGISTERS) {
        return false;
      }
      visitor.run(register, count, value(value[at]));
      register += count;
    }
    return register == DenseRegisters.REGISTERS;
  }

  private static boolean isLong(byte head) {
    return (head & 0xc0) == 0x40;
  }

  static int width(byte head) {
    return isLong(head) ? 2 : 1;
  }

  static int value(byte head) {
    return head < 0 ? (head >> 2 & 0x1f) + 1 : 0;
  }

  static int count(byte[] runs, int at) {
    byte head = runs[at];
    if (head < 0) {
      return (head & 3) + 1;
    }
    if (!isLong(head)) {
      return (head & 0x3f) + 1;
    }
    int low = at + 1 < runs.length ? runs[at + 1] & 0xff : 0;
    return ((head & 0x3f) << 8 | low) + 1;
  }

  private static int zeros(byte[] into, int at, int count) {
    int less = count - 1;
    if (count <= MAX_SHORT_ZEROS) {
      into[at] = (byte) less;
      return at + 1;
    }
    into[at] = (byte) (less >> 8 | 0x40);
    into[at + 1] = (byte) less;
    return at + 2;
  }

  private static int run(byte[] into, int at, int value, int count) {
    if (count == 0) {
      return at;
    }
    if (value == 0) {
      return zeros(into, at, count);
    }
    into[at] = head(value, count);
    return at + 1;
  }

  private static byte head(int value, int count) {
    return (byte) ((value - 1) << 2 | count - 1 | 0x80);
  }

  /** Raises a register, unless its value is as high. {@code maxBytes} includes the header. */
  Outcome raise(int register, int to, int maxBytes) {
    if (to > MAX_VALUE) {
      return Outcome.TOO_LARGE;
    }
    int before = DenseRegisters.HEADER;
    int at = DenseRegisters.HEADER;
    int first = 0;
    while (at < length && register >= first + count(bytes, at)) {
      before = at;
      first += count(bytes, at);
      at += width(bytes[at]);
    }
    if (at >= length) {
      return Outcome.CORRUPT;
    }
    int now = value(bytes[at]);
    if (now >= to) {
      return Outcome.SAME;
    }
    int last = first + count(bytes, at) - 1;
    byte[] split = new byte[LONGEST_SPLIT];
    int end = run(split, 0, now, register - first);
    end = run(split, end, to, 1);
    end = run(split, end, now, last - register);
    int growth = end - width(bytes[at]);
    if (growth > 0 && length + growth > maxBytes) {
      return Outcome.TOO_LARGE;
    }
    splice(at, split, end);
    join(before);
    return Outcome.RAISED;
  }

  private void splice(int at, byte[] split, int splitLength) {
    int width = width(bytes[at]);
    // A last run without its second byte counts as two bytes, as in Redis: its replacement is cut
    // off.
    byte[] result = new byte[length + splitLength - width];
    System.arraycopy(bytes, 0, result, 0, at);
    System.arraycopy(split, 0, result, at, Math.min(splitLength, result.length - at));
    int rest = Math.max(0, length - at - width);
    System.arraycopy(bytes, length - rest, result, result.length - rest, rest);
    bytes = result;
    length = result.length;
  }

  private void join(int from) {
    int at = from;
    for (int runs = JOINED; runs > 0 && at < length; runs--) {
      if (at + 1 < length && bytes[at] < 0 && value(bytes[at]) == value(bytes[at + 1])) {
        int count = count(bytes, at) + count(bytes, at + 1);
        if (count <= MAX_VALUE_RUN) {
          bytes[at + 1] = head(value(bytes[at]), count);
          System.arraycopy(bytes, at + 1, bytes, at, length - at - 1);
          bytes[--length] = 0;
          continue;
        }
      }
      at += width(bytes[at]);
    }
  }
}
