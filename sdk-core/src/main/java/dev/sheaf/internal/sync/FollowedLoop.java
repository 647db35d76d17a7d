// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A loop that a thread seems to run: its keys were found by what the thread has read. */
final class FollowedLoop<K> extends Loop<K> {

  /**
   * How long after its list, or after its key before, the next key of a loop may come: 1 second.
   */
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How many keys a loop may leave out at once and go straight on. */
  private static final int MAX_STEP = 4;

  private final KeySource source;
  private final KeyForm form;

  /**
   * A read that the server is about to be asked.
   *
   * @param rest what follows the key, as a field
   * @param text the key's
   */
  record Asked(AheadRead read, @Nullable Object rest, KeyForm form, String text, long nanos) {

    /** The place of the key in what a loop reads. */
    int keyIndex(FollowedLoop<?> loop) {
      return loop.isOf(read, rest) ? loop.source.indexOf(text) : NONE;
    }

    /** Whether it may be of the same loop as another one. */
    boolean isLike(Asked other) {
      return read == other.read && Objects.deepEquals(rest, other.rest);
    }

    /** A loop that has read these keys; null if one of them is not of the source. */
    <K> @Nullable FollowedLoop<K> begin(@Nullable KeySource source, String... keys) {
      if (source == null) {
        return null;
      }
      FollowedLoop<K> loop = new FollowedLoop<>(this, source);
      for (String key : keys) {
        int index = source.indexOf(key);
        if (index == NONE) {
          return null;
        }
        loop.reads(index, nanos);
      }
      return loop;
    }
  }

  FollowedLoop(Asked first, KeySource source) {
    super(first.read, first.rest);
    this.source = source;
    this.form = first.form;
  }

  KeySource source() {
    return source;
  }

  @Override
  int indexOf(Object key, @Nullable String text) {
    return text == null ? NONE : source.indexOf(text);
  }

  @Override
  @SuppressWarnings("unchecked") // The keys have the form of one that was given.
  @Nullable K keyAt(int index) {
    String text = source.keyAt(index);
    return text == null || text.length() > KeyForm.MAX_LENGTH || source.indexOf(text) != index
        ? null
        : (K) form.key(text);
  }

  @Override
  int size() {
    return source.size();
  }

  @Override
  int knownKeys() {
    return source.size();
  }

  @Override
  boolean isDeclared() {
    return false;
  }

  /** The latest read of a loop that has come to its end. */
  Asked lastRead() {
    return new Asked(read(), rest(), form, "", lastNanos());
  }

  /** Whether this place may be of the same loop: one over numbers makes no long steps. */
  boolean mayGoOnAt(int index) {
    return size() < Integer.MAX_VALUE || isNear(index);
  }

  /** Whether this place is at most a short step behind the one before. */
  boolean isNear(int index) {
    return index >= last() && index - last() <= MAX_STEP;
  }

  /** Whether to read this key means that the loop begins again. */
  boolean beginsAgainAt(int index) {
    return index != last() && hasRead(index);
  }

  /** The loops of this kind among others. */
  @SuppressWarnings("unchecked") // The keys of a thread's loops are of one type.
  static <K> List<FollowedLoop<K>> among(List<Loop<?>> loops) {
    return loops.stream()
        .filter(loop -> !loop.isDeclared())
        .map(loop -> (FollowedLoop<K>) loop)
        .toList();
  }
}
