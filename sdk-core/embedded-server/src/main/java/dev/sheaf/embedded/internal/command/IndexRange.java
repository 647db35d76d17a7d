// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.command;

/** A range of indexes, inclusive; negative arguments count from the end. */
record IndexRange(int from, int to) {
  static IndexRange of(long start, long end, int size) {
    long from = Math.max(0, start < 0 ? start + size : start);
    long to = Math.min(size - 1L, end < 0 ? end + size : end);
    return from > to ? new IndexRange(0, -1) : new IndexRange((int) from, (int) to);
  }

  int size() {
    return to - from + 1;
  }
}
