// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a loop whose keys are known in advance: given by the user, or derived from what its
 * thread has read. Confined to that thread.
 */
abstract class Loop<K> {

  /** In place of an index: the key does not belong to the loop. */
  static final int NONE = -1;

  /** The part at its end that a loop may skip and still count as complete: a sixteenth. */
  private static final int TOLERANCE = 16;

  private final AheadRead read;
  private final @Nullable Object rest;
  private final BitSet seen = new BitSet();

  private int reads;
  private int lowest = Integer.MAX_VALUE;
  private int highest = NONE;
  private int last = NONE;
  private boolean backwards;
  private long lastNanos;
  private @Nullable LoopPlace place;
  private @Nullable LoopWindow<K> window;
  private long windowNumber;
  private boolean paid = true;

  /** The key from which another window can be read. */
  private int resumeAt;

  /** How many reads its place has been told. */
  private int told;

  /**
   * Creates a loop that has read nothing.
   *
   * @param rest the argument after each key, such as a field
   */
  Loop(AheadRead read, @Nullable Object rest) {
    this.read = read;
    this.rest = rest;
  }

  /**
   * The index of a key that is read now, or {@link #NONE}.
   *
   * @param text the key as text; null if it has none
   */
  abstract int indexOf(Object key, @Nullable String text);

  /** The key at an index; null if there is none to read ahead. */
  abstract @Nullable K keyAt(int index);

  /** The number of keys; {@link Integer#MAX_VALUE} if unlimited. */
  abstract int size();

  /** The number of keys known so far. */
  abstract int knownKeys();

  /** Whether the user gave the keys. */
  abstract boolean isDeclared();

  final boolean isOf(AheadRead otherRead, @Nullable Object otherRest) {
    return read == otherRead && Objects.deepEquals(rest, otherRest);
  }

  final AheadRead read() {
    return read;
  }

  final @Nullable Object rest() {
    return rest;
  }

  /** Records a read of the key at this index. */
  void reads(int index, long nowNanos) {
    lastNanos = nowNanos;
    if (!seen.get(index)) {
      seen.set(index);
      reads++;
      backwards |= index < last;
      lowest = Math.min(lowest, index);
      highest = Math.max(highest, index);
    }
    last = index;
  }

  final boolean hasRead(int index) {
    return seen.get(index);
  }

  final int reads() {
    return reads;
  }

  final int last() {
    return last;
  }

  final long lastNanos() {
    return lastNanos;
  }

  final boolean isAtEnd() {
    return reads >= size() || (!backwards && last == size() - 1);
  }

  final boolean isShuffled() {
    return backwards;
  }

  final @Nullable LoopPlace place() {
    return place;
  }

  final void foundAt(LoopPlace found) {
    this.place = found;
  }

  /** Takes the value read ahead for the key at this index; null if there is none. */
  final @Nullable Result<?> take(int index, Object key) {
    LoopWindow<K> open = window;
    Result<?> reply = open == null ? null : open.take(index, key);
    if (reply != null) {
      reads(index, System.nanoTime());
    }
    return reply;
  }

  /**
   * The number of keys to read ahead with the one at this index: zero while a window has the next
   * ones. A window without use is closed first.
   */
  final int wanted(int index) {
    LoopPlace at = place;
    LoopWindow<K> open = window;
    if (at == null
        || (open != null
            && !open.isClosed()
            && !open.isTooOld()
            && (at.isUnordered() || index <= open.lastIndex()))) {
      return 0;
    }
    closeWindow();
    return index < resumeAt
        ? 0
        : at.windowKeys(hasRead(index) ? reads : reads + 1, index + 1, paid);
  }

  /**
   * Collects the next keys.
   *
   * @param to receives the keys
   * @return their indexes
   */
  final int[] ahead(int most, List<K> to) {
    int[] indexes = new int[Math.min(most, LoopPlace.MAX_WINDOW_KEYS)];
    int first = place != null && place.isUnordered() ? 0 : last + 1;
    for (int i = first; i < knownKeys() && to.size() < indexes.length; i++) {
      K key = hasRead(i) ? null : keyAt(i);
      if (key != null) {
        indexes[to.size()] = i;
        to.add(key);
      } else if (size() == Integer.MAX_VALUE && !hasRead(i)) {
        break;
      }
    }
    return Arrays.copyOf(indexes, to.size());
  }

  /**
   * Sets the window that is about to be read.
   *
   * @param number larger for later windows of the thread
   */
  final void opened(LoopWindow<K> opened, long number) {
    window = opened;
    windowNumber = number;
  }

  /**
   * Drops the value read ahead for a key.
   *
   * @param by the command that reads a newer value. For a declared loop only its own command counts
   * @param before limits this to windows opened before that number
   */
  final void forget(@Nullable AheadRead by, int cell, long before) {
    LoopWindow<K> open = window;
    if (open != null && windowNumber < before && (!isDeclared() || by == read)) {
      open.forget(cell);
    }
  }

  /** The cell of a key in its window. */
  final int cellOf(int index) {
    LoopWindow<K> open = window;
    return open == null ? NONE : open.cellOf(index);
  }

  final long windowNumber() {
    return windowNumber;
  }

  /** Closes the window, if there is one. */
  final void closeWindow() {
    LoopWindow<K> open = window;
    window = null;
    if (open != null) {
      paid = open.paid();
      if (!paid) {
        // The windows are of no use, or the body invalidates them with writes.
        resumeAt = !isDeclared() ? Integer.MAX_VALUE : open.isTooOld() ? 0 : open.lastIndex() + 1;
      }
      open.close();
    }
  }

  /** Reports its progress to its place, as if it had ended. */
  final void tell() {
    LoopPlace at = place;
    if (at != null && reads > told) {
      told = reads;
      int size = size();
      boolean toTheEnd =
          size < Integer.MAX_VALUE && (backwards ? reads : highest + 1) >= size - size / TOLERANCE;
      int span = backwards && size < Integer.MAX_VALUE ? size : highest - lowest + 1;
      at.ended(reads, span, toTheEnd, backwards);
    }
  }

  final void end() {
    closeWindow();
    tell();
  }
}
