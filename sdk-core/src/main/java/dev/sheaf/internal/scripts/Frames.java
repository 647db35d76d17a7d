// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import java.util.Arrays;

/** Arguments one after the other, as they stand in a request. Not thread-safe. */
final class Frames {

  /** The length, its digits and the line ends of any argument. */
  private static final int MOST_AROUND = 1 + 10 + 2 + 2;

  private byte[] bytes;
  private int length;

  Frames(int expectedBytes) {
    this.bytes = new byte[Math.max(MOST_AROUND, expectedBytes)];
  }

  static byte[] of(byte[][] arguments) {
    Frames frames = new Frames(0);
    for (byte[] argument : arguments) {
      frames.add(argument, 0, argument.length);
    }
    return frames.copy(0, frames.length);
  }

  /** How many bytes there are, and so where the next argument will begin. */
  int length() {
    return length;
  }

  void clear() {
    length = 0;
  }

  void removeFirst(int count) {
    System.arraycopy(bytes, count, bytes, 0, length - count);
    length -= count;
  }

  void add(byte[] source, int from, int size) {
    long needed = (long) length + size + MOST_AROUND;
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, grown(needed));
    }
    bytes[length++] = '$';
    addDecimal(size);
    endLine();
    System.arraycopy(source, from, bytes, length, size);
    length += size;
    endLine();
  }

  private int grown(long needed) {
    return Math.toIntExact(Math.max(needed, Math.min(2L * bytes.length, Integer.MAX_VALUE - 8)));
  }

  private void addDecimal(int number) {
    int end = length + 1;
    for (int rest = number / 10; rest > 0; rest /= 10) {
      end++;
    }
    int rest = number;
    for (int i = end - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length = end;
  }

  private void endLine() {
    bytes[length++] = '\r';
    bytes[length++] = '\n';
  }

  byte at(int index) {
    return bytes[index];
  }

  byte[] copy(int from, int to) {
    return Arrays.copyOfRange(bytes, from, to);
  }

  void copy(int from, int to, byte[] target, int at) {
    System.arraycopy(bytes, from, target, at, to - from);
  }
}
