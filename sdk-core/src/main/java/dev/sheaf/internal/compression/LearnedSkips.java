// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.internal.command.RequestEncoder;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Remembers which keys have values that do not compress, by how the keys begin: up to their last
 * colon or slash, or else without the digits at their end.
 *
 * <p>Its size is fixed; two beginnings that share a cell share what is learned, which costs effort
 * or bytes, and never a value. Thread-safe.
 */
final class LearnedSkips {

  /** So many values in a row without gain, and the next ones are left as they are. */
  static final int FAILURES_TO_SKIP = 16;

  /** One in so many is tried nevertheless. */
  static final int PROBE_INTERVAL = 128;

  private static final int CELLS = 1_024;

  /** Below {@link #FAILURES_TO_SKIP}: failures in a row; above, values left since. */
  private final AtomicIntegerArray cells = new AtomicIntegerArray(CELLS);

  static int cell(byte[] bytes, int start, int end) {
    int prefixEnd = end;
    while (prefixEnd > start && bytes[prefixEnd - 1] != ':' && bytes[prefixEnd - 1] != '/') {
      prefixEnd--;
    }
    if (prefixEnd == start) {
      prefixEnd = end;
      while (prefixEnd > start && bytes[prefixEnd - 1] >= '0' && bytes[prefixEnd - 1] <= '9') {
        prefixEnd--;
      }
    }
    int hash = RequestEncoder.hash(bytes, start, prefixEnd);
    return (hash ^ hash >>> 10 ^ hash >>> 20) & CELLS - 1;
  }

  /** Whether to leave the next value of this cell as it is. */
  boolean skip(int cell) {
    int state = cells.get(cell);
    if (state < FAILURES_TO_SKIP) {
      return false;
    }
    int left = state - FAILURES_TO_SKIP + 1;
    if (left >= PROBE_INTERVAL) {
      cells.set(cell, FAILURES_TO_SKIP);
      return false;
    }
    cells.lazySet(cell, state + 1);
    return true;
  }

  void compressed(int cell) {
    if (cells.get(cell) != 0) {
      cells.set(cell, 0);
    }
  }

  void didNotCompress(int cell) {
    int state = cells.get(cell);
    if (state < FAILURES_TO_SKIP) {
      cells.lazySet(cell, state + 1);
    }
  }
}
