// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A loop whose keys the user gave: hands out the items, and its key is that of the current one.
 *
 * <p>It belongs to the thread that asks for the first item. In the hands of another thread it goes
 * on as a plain iterator, and reads nothing ahead any more.
 */
final class GivenLoop<T, K> extends Loop<K> implements Iterator<T> {

  private final ThreadLocal<CallerThread> callers;
  private final LoopPlaces places;
  private final Object[] items;
  private final Function<? super T, ? extends K> keyOf;
  private final @Nullable Object[] keys;

  private int next;

  /** How many keys were asked for. */
  private int known;

  private @Nullable CallerThread owner;
  private volatile boolean plain;

  /** Whether the current iteration's key has not been read. */
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
  @SuppressWarnings("unchecked") // The items are those of a collection of T.
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

  /** Asks for the keys of an item and of some that follow, where that was not done. */
  @SuppressWarnings("unchecked") // The items are those of a collection of T.
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
        break; // It fails again when it is the turn of that item.
      }
    }
  }

  @Override
  int indexOf(Object key, @Nullable String text) {
    int current = next - 1;
    // An array is the key that its content is.
    return due && !plain && Objects.deepEquals(key, keys[current]) ? current : NONE;
  }

  @Override
  void reads(int index, long nowNanos) {
    super.reads(index, nowNanos);
    due = false;
  }

  @Override
  @SuppressWarnings("unchecked") // They are what the function gave.
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
