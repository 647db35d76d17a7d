// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import java.util.Arrays;

/**
 * Where in a reply the next bulk string stands. There is one for each command, so it remembers what
 * is open only where the shape depends on it.
 */
final class ReplyPosition {

  private static final int INITIAL_DEPTH = 4;
  private static final int[] NONE = {};
  private static final boolean[] NO_FLAGS = {};

  private final ReplyShape shape;

  /** How many bulk strings and nils there were. */
  private int bulks;

  private int depth;
  private int[] counts = NONE;
  private int[] positions = NONE;
  private boolean[] beganWithBulk = NO_FLAGS;

  ReplyPosition(ReplyShape shape) {
    this.shape = shape;
    if (shape == ReplyShape.ENTRIES) {
      counts = new int[INITIAL_DEPTH];
      positions = new int[INITIAL_DEPTH];
      beganWithBulk = new boolean[INITIAL_DEPTH];
    }
  }

  void restart() {
    bulks = 0;
    depth = 0;
  }

  /** The number of the last bulk string, from 1. */
  int elements() {
    return bulks;
  }

  /** Takes note of a bulk string or a nil; whether it is at the place of a value. */
  boolean bulk() {
    boolean value =
        switch (shape) {
          case NONE -> false;
          case VALUES -> true;
          case PAIRS -> bulks % 2 == 1;
          case AFTER_FIRST -> bulks > 0;
          case CURSOR_PAIRS -> bulks > 0 && bulks % 2 == 0;
          case ENTRIES -> isEntryValue();
        };
    bulks++;
    element(true);
    return value;
  }

  /** The fields of an entry are the second of two, after an identifier. */
  private boolean isEntryValue() {
    if (depth < 2 || positions[depth - 1] % 2 == 0) {
      return false;
    }
    int entry = depth - 2;
    return counts[entry] == 2 && positions[entry] == 2 && beganWithBulk[entry];
  }

  /** Takes note of anything else that is no container. */
  void other() {
    element(false);
  }

  private void element(boolean bulk) {
    if (depth > 0) {
      if (positions[depth - 1] == 0) {
        beganWithBulk[depth - 1] = bulk;
      }
      positions[depth - 1]++;
      closeFull();
    }
  }

  private void closeFull() {
    while (depth > 0 && positions[depth - 1] >= counts[depth - 1]) {
      depth--;
    }
  }

  /** Takes note of a container, which has so many elements; -1 for a nil. */
  void open(int count) {
    if (shape != ReplyShape.ENTRIES) {
      return;
    }
    if (count <= 0) {
      element(false);
      return;
    }
    if (depth > 0) {
      if (positions[depth - 1] == 0) {
        beganWithBulk[depth - 1] = false;
      }
      // Counted now; it is full only once what it opens is.
      positions[depth - 1]++;
    }
    if (depth == counts.length) {
      counts = Arrays.copyOf(counts, 2 * depth);
      positions = Arrays.copyOf(positions, 2 * depth);
      beganWithBulk = Arrays.copyOf(beganWithBulk, 2 * depth);
    }
    counts[depth] = count;
    positions[depth] = 0;
    depth++;
  }
}
