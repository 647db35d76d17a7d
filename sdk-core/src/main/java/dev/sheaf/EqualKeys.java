package dev.sheaf;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds GETs of the same key in one batch, so that the key travels once. Immutable.
 *
 * <p>A hash table with open addressing over the indexes of the batch.
 */
final class EqualKeys {

  private static final int NONE = -1;

  /** For each GET the next one of the same key, or {@link #NONE}. */
  private final int[] next;

  private final boolean[] repeated;
  private final int distinct;

  private EqualKeys(int[] next, boolean[] repeated, int distinct) {
    this.next = next;
    this.repeated = repeated;
    this.distinct = distinct;
  }

  /** Finds equal keys; null if all are different, which is the usual case. */
  static @Nullable EqualKeys in(List<Outgoing<?, ?, ?>> gets) {
    int size = gets.size();
    int[] table = new int[Integer.highestOneBit(size) * 4];
    int[] next = null;
    int distinct = size;
    for (int i = 0; i < size; i++) {
      Outgoing<?, ?, ?> get = gets.get(i);
      int bucket = get.keyHash() & table.length - 1;
      while (table[bucket] != 0 && !gets.get(table[bucket] - 1).hasKeyOf(get)) {
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
      // The latest of a key stands in the table, so that the next equal one is linked behind it.
      table[bucket] = i + 1;
    }
    return next == null ? null : new EqualKeys(next, repeatedIn(next), distinct);
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

  /** How many different keys there are. */
  int distinct() {
    return distinct;
  }

  /** Whether an earlier GET has the key of this one. */
  boolean isRepeated(int index) {
    return repeated[index];
  }

  /** The index of the next GET with the key of this one, or a negative number. */
  int next(int index) {
    return next[index];
  }
}
