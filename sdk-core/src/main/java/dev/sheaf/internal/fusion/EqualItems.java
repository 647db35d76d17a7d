// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import dev.sheaf.internal.command.EncodedCommand;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The duplicate items of a fused read, so that each item is requested once. Immutable.
 *
 * <p>A hash table with open addressing over the indexes of the batch.
 */
final class EqualItems {

  private static final int NONE = -1;

  /** For each read the index of the next one with the same item, or {@link #NONE}. */
  private final int[] next;

  private final boolean[] repeated;
  private final int distinct;

  private EqualItems(int[] next, boolean[] repeated, int distinct) {
    this.next = next;
    this.repeated = repeated;
    this.distinct = distinct;
  }

  /** Finds duplicates; null if there are none, which is the usual case. */
  static @Nullable EqualItems in(List<EncodedCommand<?, ?, ?>> reads) {
    int size = reads.size();
    int[] table = new int[Integer.highestOneBit(size) * 4];
    int[] next = null;
    int distinct = size;
    for (int i = 0; i < size; i++) {
      EncodedCommand<?, ?, ?> read = reads.get(i);
      int bucket = read.itemHash() & table.length - 1;
      while (table[bucket] != 0 && !FusedRead.haveSameItem(reads.get(table[bucket] - 1), read)) {
        bucket = bucket + 1 & table.length - 1;
      }
      if (table[bucket] != 0) {
        if (next == null) {
          next = new int[size];
          Arrays.fill(next, NONE);
        }
        next[table[bucket] - 1] = i;
        distinct--;
      }
      // The table has the latest read of each item, so that the next equal one is linked to it.
      table[bucket] = i + 1;
    }
    return next == null ? null : new EqualItems(next, repeatedIn(next), distinct);
  }

  private static boolean[] repeatedIn(int[] next) {
    boolean[] repeated = new boolean[next.length];
    for (int following : next) {
      if (following != NONE) {
        repeated[following] = true;
      }
    }
    return repeated;
  }

  /** The number of distinct items. */
  int distinct() {
    return distinct;
  }

  /** Whether an earlier read has the same item. */
  boolean isRepeated(int index) {
    return repeated[index];
  }

  /** The index of the next read with the same item, or a negative number. */
  int next(int index) {
    return next[index];
  }
}
