// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopLearning;
import dev.sheaf.internal.keys.KeyReads;
import dev.sheaf.internal.sync.KeySource.Repeated;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * What the loops over one connection that nobody declared have in common: the lists of keys that
 * are remembered, and the windows that hold values.
 *
 * <p>Thread-safe.
 */
public final class LearnedLoops<K, V> {

  private final KeyLoops<K, V> loops;
  private final LearnedPlaces places;
  private final LoopLearning options;
  private final ThreadLocal<FollowedCalls<K>> calls =
      ThreadLocal.withInitial(() -> new FollowedCalls<>(this));

  /** By command and first keys. */
  private final ConcurrentMap<Fingerprint, Repeated> lists = new ConcurrentHashMap<>();

  /** In the order in which they were remembered. Guarded by itself. */
  private final Deque<Fingerprint> listOrder = new ArrayDeque<>();

  private final Set<LearnedWindow<K>> open = ConcurrentHashMap.newKeySet();

  private record Fingerprint(AheadRead read, List<String> keys) {}

  /** Begins with nothing read ahead. */
  public LearnedLoops(KeyLoops<K, V> loops, LearnedPlaces places) {
    this.loops = loops;
    this.places = places;
    this.options = places.options();
  }

  LearnedPlaces places() {
    return places;
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

  /** The keys of an earlier loop that began with these; null if none is remembered. */
  @Nullable Repeated repeated(AheadRead read, String[] first) {
    return lists.isEmpty() ? null : lists.get(new Fingerprint(read, List.of(first)));
  }

  /** The list of an earlier loop that begins with this key; null if there is none, or several. */
  @Nullable Repeated repeated(AheadRead read, String first) {
    Repeated found = null;
    for (Map.Entry<Fingerprint, Repeated> list : lists.entrySet()) {
      if (list.getKey().read() == read && list.getKey().keys().get(0).equals(first)) {
        if (found != null) {
          return null;
        }
        found = list.getValue();
      }
    }
    return found;
  }

  void remember(AheadRead read, Repeated keys) {
    Fingerprint first =
        new Fingerprint(read, List.copyOf(keys.keys().subList(0, FollowedCalls.FINGERPRINT_KEYS)));
    if (options.maxLists() > 0 && lists.put(first, keys) == null) {
      synchronized (listOrder) {
        listOrder.add(first);
        if (listOrder.size() > options.maxLists()) {
          lists.remove(listOrder.remove());
        }
      }
    }
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
    if (open.size() >= options.maxWindows()) {
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
                options.maxAge()),
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
