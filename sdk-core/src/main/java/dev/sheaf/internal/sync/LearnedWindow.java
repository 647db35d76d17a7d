// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a learned loop that are read ahead, by key. Confined to the thread of the loop, but
 * for its end.
 */
final class LearnedWindow<K> {

  private final LoopWindow<K, ?> window;
  private final LearnedPlace place;
  private final Map<String, Integer> places = new HashMap<>();
  private final Consumer<? super LearnedWindow<K>> whenClosed;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final long number;

  /**
   * Creates a window; nothing is read yet.
   *
   * @param texts of the keys of the window, which are different
   * @param number larger for later windows of the thread
   */
  LearnedWindow(
      LoopWindow<K, ?> window,
      List<String> texts,
      LearnedPlace place,
      long number,
      Consumer<? super LearnedWindow<K>> whenClosed) {
    this.window = window;
    this.place = place;
    this.number = number;
    this.whenClosed = whenClosed;
    for (String text : texts) {
      places.put(text, places.size());
    }
  }

  /** Asks for all keys, and waits for nothing. */
  void request() {
    if (window.request(0) == null) {
      close();
    }
  }

  /** Whether it was opened before another one of its thread. */
  boolean isBefore(LearnedWindow<?> other) {
    return number < other.number;
  }

  /** Hands out the reply for a key, once; null if it has to be asked of the server. */
  @Nullable Result<?> take(K key, String text) {
    Integer index = closed.get() ? null : places.get(text);
    if (index == null || !window.hasKey(index, key)) {
      return null;
    }
    places.remove(text);
    Result<?> result = window.takeRequested(index);
    if (places.isEmpty()) {
      close();
    }
    return result;
  }

  /** What it holds for a key is older than what its reader has seen, or is about to see. */
  void forget(String text) {
    Integer index = places.remove(text);
    if (index != null) {
      window.forget(index);
    }
  }

  /** It holds nothing any more. May be called again, and by any thread once it is too old. */
  void close() {
    if (closed.compareAndSet(false, true)) {
      whenClosed.accept(this);
    }
  }

  LearnedPlace place() {
    return place;
  }

  /** What it holds, or held. */
  LoopWindow<K, ?> window() {
    return window;
  }
}
