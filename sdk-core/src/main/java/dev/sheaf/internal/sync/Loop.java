// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a loop whose keys are known before they are read: given by the user, or found by what
 * its thread has read. Confined to that thread.
 */
abstract class Loop<K> {

  /** Stands for a key that is not the loop's. */
  static final int NONE = -1;

  /** How much of its end a loop may leave out and still have read it all: a sixteenth. */
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

  /** From which key on another window may be read. */
  private int resumeAt;

  /** How many reads its place knows of. */
  private int told;

  /**
   * A loop that has read nothing yet.
   *
   * @param rest what follows each key, as a field
   */
  Loop(AheadRead read, @Nullable Object rest) {
    this.read = read;
    this.rest = rest;
  }

  /**
   * Where a key stands that is read now, or {@link #NONE}.
   *
   * @param text the key as text; null if it has none
   */
  abstract int indexOf(Object key, @Nullable String text);

  /** The key at a place; null if there is none to read ahead. */
  abstract @Nullable K keyAt(int index);

  /** How many keys there are; {@link Integer#MAX_VALUE} if there is no end. */
  abstract int size();

  /** How many of them are known now. */
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

  /** The loop has read the key at this place, not later than that. */
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

  /** Hands out what was read ahead for the key at this place; null if nothing is to be. */
  final @Nullable Result<?> take(int index, Object key) {
    LoopWindow<K> open = window;
    Result<?> reply = open == null ? null : open.take(index, key);
    if (reply != null) {
      reads(index, System.nanoTime());
    }
    return reply;
  }

  /**
   * How many keys to read ahead with the one at this place: none while a window holds those to
   * come. A window of no use is closed before that.
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
   * Gathers the keys that come next.
   *
   * @param to the keys
   * @return where they stand
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
   * A window is about to be read.
   *
   * @param number larger for later windows of the thread
   */
  final void opened(LoopWindow<K> opened, long number) {
    window = opened;
    windowNumber = number;
  }

  /**
   * What was read ahead for a key is not handed out any more.
   *
   * @param by the command that tells more of the key. To a loop that was declared only its own does
   * @param before the windows opened before that one alone
   */
  final void forget(@Nullable AheadRead by, int cell, long before) {
    LoopWindow<K> open = window;
    if (open != null && windowNumber < before && (!isDeclared() || by == read)) {
      open.forget(cell);
    }
  }

  /** The cell of a key that its window holds. */
  final int cellOf(int index) {
    LoopWindow<K> open = window;
    return open == null ? NONE : open.cellOf(index);
  }

  final long windowNumber() {
    return windowNumber;
  }

  /** Ends the window, if there is one. */
  final void closeWindow() {
    LoopWindow<K> open = window;
    window = null;
    if (open != null) {
      paid = open.paid();
      if (!paid) {
        // Nobody has asked for more windows of no use, or the body writes what voids them.
        resumeAt = !isDeclared() ? Integer.MAX_VALUE : open.isTooOld() ? 0 : open.lastIndex() + 1;
      }
      open.close();
    }
  }

  /** Tells its place how far it has come, as if it were over. */
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
