// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A loop that a thread seems to run: its keys could be derived from earlier reads. */
final class FollowedLoop<K> extends Loop<K> {

  /**
   * The longest pause before the next key of a loop, or between its list and its first key: 1
   * second.
   */
  static final long MAX_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The most keys that a loop can skip at once and still be sequential. */
  private static final int MAX_STEP = 4;

  private final KeySource source;
  private final KeyForm form;

  /**
   * Called before a read is sent.
   *
   * @param rest what follows the key, such as a field
   * @param text the key as text
   */
  record Asked(AheadRead read, @Nullable Object rest, KeyForm form, String text, long nanos) {

    /** The position of a key in the source of a loop. */
    int keyIndex(FollowedLoop<?> loop) {
      return loop.isOf(read, rest) ? loop.source.indexOf(text) : NONE;
    }

    /** Returns whether it can belong to the same loop as another position. */
    boolean isLike(Asked other) {
      return read == other.read && Objects.deepEquals(rest, other.rest);
    }

    /** Returns a loop that has read these keys; null if one of them is not in the source. */
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
  @SuppressWarnings("unchecked") // The keys have the form of one that was read.
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

  /** Returns the last position of a loop that has ended. */
  Asked lastRead() {
    return new Asked(read(), rest(), form, "", lastNanos());
  }

  /**
   * Returns whether this position can belong to the same loop: a loop over numbers makes only short
   * steps.
   */
  boolean mayGoOnAt(int index) {
    return size() < Integer.MAX_VALUE || isNear(index);
  }

  /** Returns whether this position is at most a short step behind the previous one. */
  boolean isNear(int index) {
    return index >= last() && index - last() <= MAX_STEP;
  }

  /** Returns whether reading this key means that the loop starts again. */
  boolean beginsAgainAt(int index) {
    return index != last() && hasRead(index);
  }

  /** Returns those loops that are of this kind. */
  @SuppressWarnings("unchecked") // The keys of a thread's loops have one type.
  static <K> List<FollowedLoop<K>> among(List<Loop<?>> loops) {
    return loops.stream()
        .filter(loop -> !loop.isDeclared())
        .map(loop -> (FollowedLoop<K>) loop)
        .toList();
  }
}
