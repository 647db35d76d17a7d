// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.internal.keys.MultiGet;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run of a loop that reads ahead: hands out the items, and, to a GET of the current item's key,
 * its value.
 *
 * <p>It belongs to the thread that asks for the first item. In the hands of another thread it goes
 * on as a plain iterator, and reads nothing ahead any more.
 */
final class KeyLoop<T, K, V> implements Iterator<T>, OpenLoop.Values {

  private final KeyLoops<K, V> loops;
  private final Object[] items;
  private final Function<? super T, ? extends K> keyOf;

  private int next;
  private @Nullable CallerThread owner;
  private @Nullable OpenLoop open;
  private volatile boolean plain;

  private @Nullable LoopWindow<K, V> window;
  private int windowStart;

  /** The index of the current item in the window. */
  private int position;

  private int windowKeys;

  /** Whether the first window was read, and the loop has not ended. */
  private boolean begun;

  /** Whether the value of the current iteration is still to be handed out. */
  private boolean due;

  KeyLoop(KeyLoops<K, V> loops, Object[] items, Function<? super T, ? extends K> keyOf) {
    this.loops = loops;
    this.items = items;
    this.keyOf = keyOf;
    this.windowKeys = loops.habits().firstWindowKeys();
  }

  @Override
  public boolean hasNext() {
    boolean more = next < items.length;
    if (!more) {
      end();
    }
    return more;
  }

  private void end() {
    if (owner != null && open != null && owner == loops.caller()) {
      owner.end(open);
      learn();
      window = null;
    }
  }

  /** What this loop tells about the next, when all is read. */
  private void learn() {
    LoopWindow<K, V> last = window;
    if (begun && last != null) {
      begun = false;
      if (last.isFetched()) {
        loops.habits().observe(last.bytesPerKey());
      }
      if (last.paid()) {
        loops.habits().ended();
      }
    }
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
      if (window == null || index >= windowStart + window.size()) {
        announce(index);
      } else if (window.isTooOld()) {
        windowKeys = Math.max(1, window.usedValues());
        announce(index);
      }
      position = index - windowStart;
      due = true;
    }
    return (T) items[index];
  }

  private boolean isOwn() {
    CallerThread caller = loops.caller();
    if (owner == null) {
      owner = caller;
      open = loops.open(this);
      return true;
    }
    if (owner == caller && open != null && caller.resume(open)) {
      return true;
    }
    plain = true;
    return false;
  }

  private void announce(int start) {
    adaptSize();
    window = null;
    int end = Math.min(items.length, start + windowKeys);
    List<@Nullable K> keys = new ArrayList<>(end - start);
    for (int i = start; i < end; i++) {
      try {
        keys.add(keyAt(i));
      } catch (RuntimeException | Error e) {
        if (i == start) {
          throw e;
        }
        break; // It fails again when it is the turn of that item.
      }
    }
    window =
        new LoopWindow<>(
            loops, keys, wanted -> MultiGet.ofEach(loops.reads(), wanted), KeyLoops.MAX_VALUE_AGE);
    windowStart = start;
  }

  @SuppressWarnings("unchecked") // The items are those of a collection of T.
  private @Nullable K keyAt(int index) {
    return keyOf.apply((T) items[index]);
  }

  /** Grows while values are used; a window nobody reads, or that writes void, goes back. */
  private void adaptSize() {
    LoopWindow<K, V> last = window;
    if (last == null || !last.isFetched() || last.isTooOld()) {
      return;
    }
    int wanted = last.paid() ? windowKeys * LoopHabits.WINDOW_GROWTH : LoopHabits.CAUTIOUS_KEYS;
    loops.habits().observe(last.bytesPerKey());
    long bytesPerKey = Math.max(1, last.bytesPerKey());
    long affordable = Math.max(1, LoopHabits.MAX_WINDOW_BYTES / bytesPerKey);
    windowKeys = (int) Math.min(Math.min(wanted, LoopHabits.MAX_WINDOW_KEYS), affordable);
  }

  @Override
  public boolean claims(Object key) {
    LoopWindow<K, V> current = window;
    if (!due || plain || current == null || !current.hasKey(position, key)) {
      return false;
    }
    due = false;
    return true;
  }

  @Override
  public @Nullable Result<V> takeCurrent() {
    LoopWindow<K, V> current = window;
    if (current == null || open == null) {
      return null;
    }
    open.join();
    Result<V> value = current.take(position);
    if (!begun && current.isFetched()) {
      begun = true;
      loops.habits().begun();
    }
    return value;
  }
}
