// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.keys.KeyReads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What the loops over one connection that nobody declared have in common: the lists of keys that
 * are remembered, and the windows that hold values.
 *
 * <p>Thread-safe.
 */
public final class LearnedLoops<K, V> {

  /** Windows that hold values at once, of all threads. Further loops read key by key. */
  private static final int MAX_WINDOWS = 256;

  private final KeyLoops<K, V> loops;
  private final LearnedPlaces places;
  private final Duration maxAge;
  private final ThreadLocal<FollowedCalls<K>> calls =
      ThreadLocal.withInitial(() -> new FollowedCalls<>(this));

  private final KeyLists lists = new KeyLists();
  private final Set<LearnedWindow<K>> open = ConcurrentHashMap.newKeySet();

  /** Begins with nothing read ahead. */
  public LearnedLoops(KeyLoops<K, V> loops, LearnedPlaces places) {
    this.loops = loops;
    this.places = places;
    this.maxAge = places.options().maxAge();
  }

  LearnedPlaces places() {
    return places;
  }

  KeyLists lists() {
    return lists;
  }

  /** The calls of the current thread. */
  FollowedCalls<K> ofThread() {
    return calls.get();
  }

  /**
   * The current thread reads by other ways than its blocking commands, and may see later values.
   */
  public void readElsewhere() {
    ofThread().dropAll();
  }

  /** The current thread is about to read what has these ids, which it had from elsewhere. */
  public void expect(String source, Collection<?> ids) {
    ofThread().replied(source, ids);
  }

  /**
   * Opens a window for the current thread.
   *
   * @return null if there are as many as there may be
   */
  @SuppressWarnings("unchecked") // The keys have the form of one that was given.
  @Nullable LearnedWindow<K> open(
      AheadRead read,
      @Nullable Object rest,
      List<String> texts,
      KeyForm form,
      LearnedPlace place,
      long number) {
    for (LearnedWindow<K> other : open) {
      if (other.window().isTooOld()) {
        other.close();
      }
    }
    if (open.size() >= MAX_WINDOWS) {
      return null;
    }
    List<@Nullable K> keys = new ArrayList<>(texts.size());
    texts.forEach(text -> keys.add((K) form.key(text)));
    LearnedWindow<K> window =
        new LearnedWindow<>(
            new LoopWindow<>(
                loops,
                keys,
                wanted -> (KeyReads<Object>) read.reads(loops.reads(), wanted, rest),
                maxAge),
            texts,
            place,
            number,
            this::closed);
    open.add(window);
    loops.writes().join();
    return window;
  }

  private void closed(LearnedWindow<K> window) {
    open.remove(window);
    loops.writes().leave();
    LoopWindow<K, ?> held = window.window();
    places.windowClosed(
        window.place(), held.fetchedKeys(), held.usedValues(), held.bytesPerKey(), held.isTooOld());
  }
}
