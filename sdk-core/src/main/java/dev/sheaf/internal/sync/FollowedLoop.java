// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.BitSet;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A loop that a thread seems to run: which keys of its source it has read. Confined to a thread.
 */
final class FollowedLoop<K> {

  /** How much of its end a loop may leave out and still have read it all: a sixteenth. */
  private static final int TOLERANCE = 16;

  /** How many keys a loop may leave out at once and go straight on. */
  private static final int MAX_STEP = 4;

  private final AheadRead read;
  private final @Nullable Object rest;
  private final KeySource source;
  private final BitSet seen = new BitSet();

  private int reads;
  private int lowest = Integer.MAX_VALUE;
  private int highest = -1;
  private int last = -1;
  private boolean backwards;
  private long lastNanos;
  private boolean givenUp;
  private @Nullable LearnedPlace place;
  private @Nullable LearnedWindow<K> window;

  FollowedLoop(AheadRead read, @Nullable Object rest, KeySource source) {
    this.read = read;
    this.rest = rest;
    this.source = source;
  }

  boolean isOf(AheadRead otherRead, @Nullable Object otherRest) {
    return read == otherRead && Objects.deepEquals(rest, otherRest);
  }

  AheadRead read() {
    return read;
  }

  @Nullable Object rest() {
    return rest;
  }

  KeySource source() {
    return source;
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

  /** Whether this place may be of the same loop: one over numbers makes no long steps. */
  boolean mayGoOnAt(int index) {
    return source.size() < Integer.MAX_VALUE || isNear(index);
  }

  /** Whether this place is at most a short step behind the one before. */
  boolean isNear(int index) {
    return index >= last && index - last <= MAX_STEP;
  }

  /** Whether to read this key means that the loop begins again. */
  boolean beginsAgainAt(int index) {
    return index != last && seen.get(index);
  }

  /** Whether it has read a key. */
  boolean hasRead(int index) {
    return seen.get(index);
  }

  int reads() {
    return reads;
  }

  int last() {
    return last;
  }

  long lastNanos() {
    return lastNanos;
  }

  boolean isAtEnd() {
    return reads >= source.size() || (!backwards && last == source.size() - 1);
  }

  boolean isShuffled() {
    return backwards;
  }

  /** How many keys there were from the first to the last that it read. */
  int span() {
    return backwards && source.size() < Integer.MAX_VALUE
        ? source.size()
        : Math.max(0, highest - lowest + 1);
  }

  boolean wentToTheEnd() {
    int size = source.size();
    return size < Integer.MAX_VALUE && (backwards ? reads : highest + 1) >= size - size / TOLERANCE;
  }

  @Nullable LearnedPlace place() {
    return place;
  }

  void foundAt(LearnedPlace found) {
    this.place = found;
  }

  @Nullable LearnedWindow<K> window() {
    return window;
  }

  void opened(LearnedWindow<K> opened) {
    window = opened;
  }

  /** Ends the window; nothing more is read ahead if it was not worth it. */
  void closeWindow() {
    LearnedWindow<K> open = window;
    window = null;
    if (open != null) {
      givenUp |= !open.window().paid();
      open.close();
    }
  }

  boolean mayReadAhead() {
    return !givenUp;
  }
}
