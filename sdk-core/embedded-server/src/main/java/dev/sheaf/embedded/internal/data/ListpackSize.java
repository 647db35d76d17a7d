// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

/**
 * The size of elements in a listpack, Redis' compact list: streams start a new node by that size.
 */
final class ListpackSize {
  /** The size of an empty listpack. */
  static final int EMPTY = 7;

  private static final int LONGEST_INTEGER = 20;

  static int of(byte[] element) {
    Long integer = element.length <= LONGEST_INTEGER ? Numbers.parseLong(element) : null;
    if (integer != null) {
      return of(integer.longValue());
    }
    int length = element.length;
    return withBackLength(length + (length < 64 ? 1 : length < 4096 ? 2 : 5));
  }

  static int of(long integer) {
    if (integer >= 0 && integer <= 127) {
      return 2;
    }
    int bytes = 9;
    if (integer >= -(1 << 12) && integer < 1 << 12) {
      bytes = 2;
    } else if (integer == (short) integer) {
      bytes = 3;
    } else if (integer >= -(1 << 23) && integer < 1 << 23) {
      bytes = 4;
    } else if (integer == (int) integer) {
      bytes = 5;
    }
    return withBackLength(bytes);
  }

  private static int withBackLength(int bytes) {
    int length = bytes;
    for (int rest = bytes; rest > 0; rest >>>= 7) {
      length++;
    }
    return length;
  }
}
