// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A declared loop: an iterator that hands out the items and reads their keys ahead.
 *
 * <p>It belongs to the thread that requests the first item. On another thread it continues as a
 * plain iterator without reading ahead.
 */
final class GivenLoop<T, K> extends Loop<K> implements Iterator<T> {

  private final ThreadLocal<CallerThread> callers;
  private final LoopPlaces places;
  private final Object[] items;
  private final Function<? super T, ? extends K> keyOf;
  private final @Nullable Object[] keys;

  private int next;

  /** The number of keys requested. */
  private int known;

  private @Nullable CallerThread owner;
  private volatile boolean plain;

  /** Whether the key of the current iteration was not read. */
  private boolean due;

  GivenLoop(
      ThreadLocal<CallerThread> callers,
      LoopPlaces places,
      Object[] items,
      Function<? super T, ? extends K> keyOf) {
    super(AheadRead.GET, null);
    this.callers = callers;
    this.places = places;
    this.items = items;
    this.keyOf = keyOf;
    this.keys = new Object[items.length];
  }

  @Override
  public boolean hasNext() {
    boolean more = next < items.length;
    if (!more && owner != null && owner == callers.get()) {
      owner.end(this);
    }
    return more;
  }

  @Override
  @SuppressWarnings("unchecked") // The items come from a collection of T.
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    int index = next++;
    if (!plain && isOwn()) {
      due = false;
      askKeys(index, wanted(index));
      due = true;
    }
    return (T) items[index];
  }

  private boolean isOwn() {
    CallerThread caller = callers.get();
    if (owner == null) {
      owner = caller;
      foundAt(places.declaredHere());
    }
    if (owner != caller) {
      plain = true;
      return false;
    }
    caller.resume(this);
    return true;
  }

  /** Requests the keys of an item and of some that follow, if necessary. */
  @SuppressWarnings("unchecked") // The items come from a collection of T.
  private void askKeys(int index, int more) {
    int end = Math.min(items.length, index + 1 + more);
    for (int i = Math.max(known, index); i < end; i++) {
      try {
        keys[i] = keyOf.apply((T) items[i]);
        known = i + 1;
      } catch (RuntimeException | Error e) {
        if (i == index) {
          throw e;
        }
        break; // It fails again when that item is current.
      }
    }
  }

  @Override
  int indexOf(Object key, @Nullable String text) {
    int current = next - 1;
    // Arrays are compared by content.
    return due && !plain && Objects.deepEquals(key, keys[current]) ? current : NONE;
  }

  @Override
  void reads(int index, long nowNanos) {
    super.reads(index, nowNanos);
    due = false;
  }

  @Override
  @SuppressWarnings("unchecked") // They are results of the key function.
  @Nullable K keyAt(int index) {
    return (K) keys[index];
  }

  @Override
  int size() {
    return items.length;
  }

  @Override
  int knownKeys() {
    return known;
  }

  @Override
  boolean isDeclared() {
    return true;
  }
}
