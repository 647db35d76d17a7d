// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.sync.FollowedLoop.Asked;
import dev.sheaf.internal.sync.KeySource.Numbers;
import dev.sheaf.internal.sync.KeySource.OfList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The latest distinct keys of a thread, of one command, that belong to no known loop. Loops over
 * numbers, and over the keys of an earlier loop, start here. Confined to that thread.
 */
final class KeyRow<K> {

  /** How many keys identify an earlier loop. */
  static final int FINGERPRINT_KEYS = 3;

  /** A shorter row is not remembered as a list. */
  private static final int MIN_REPEATED = 8;

  /** A longer row is remembered as several lists. */
  private static final int MAX_REPEATED = 1_024;

  private final Lists lists;
  private final Set<String> keys = new LinkedHashSet<>();
  private final String[] latest = new String[FINGERPRINT_KEYS];

  /** How many keys a remembered list has. */
  private int remembered;

  private @Nullable Asked last;

  KeyRow(Lists lists) {
    this.lists = lists;
    Arrays.fill(latest, "");
  }

  /** Adds a key. Returns the loop that the latest keys form, or null. */
  @Nullable FollowedLoop<K> add(Asked asked) {
    String text = asked.text();
    Asked before = last;
    if (before == null
        || !asked.isLike(before)
        || asked.nanos() - before.nanos() > FollowedLoop.MAX_PAUSE_NANOS
        || keys.size() == MAX_REPEATED
        || keys.contains(text)) {
      end();
    }
    last = asked;
    FollowedLoop<K> numbers = null;
    for (int i = FINGERPRINT_KEYS - 1; i >= 0 && numbers == null; i--) {
      numbers = asked.begin(Numbers.of(latest[i], text), latest[i], text);
    }
    System.arraycopy(latest, 1, latest, 0, FINGERPRINT_KEYS - 1);
    latest[FINGERPRINT_KEYS - 1] = text;
    FollowedLoop<K> repeated = asked.begin(lists.repeated(asked.read(), latest), latest);
    // In a row of other keys, two numbers can differ by a step by chance.
    if (repeated == null) {
      keys.add(text);
      if (Integer.bitCount(keys.size()) == 1) {
        // A thread can end with its request, without notice.
        remember();
      }
    } else {
      keys.clear();
      remembered = 0;
    }
    return repeated == null ? numbers : repeated;
  }

  /** Removes a key that belongs to a loop after all, and starts a new row. */
  void endWithout(@Nullable String key) {
    keys.remove(key);
    end();
  }

  /** Starts a new row. */
  void end() {
    remember();
    keys.clear();
    remembered = 0;
    Arrays.fill(latest, "");
  }

  /**
   * Called when a loop over an earlier row has reached its end. If it continues, the row becomes
   * longer.
   */
  void goesOn(ReadList list, Asked lastOfLoop) {
    if (list.size() < MAX_REPEATED) {
      end();
      keys.addAll(list.elements());
      remembered = keys.size();
      last = lastOfLoop;
    }
  }

  private void remember() {
    if (last != null && keys.size() >= MIN_REPEATED && keys.size() > remembered) {
      lists.remember(last.read(), ReadList.ofKeys(keys));
      remembered = keys.size();
    }
  }

  /**
   * The keys of earlier loops on one connection, for loops that read the same keys. Thread-safe.
   */
  static final class Lists {

    /** The most lists that are remembered; the oldest is dropped. */
    private static final int MAX_LISTS = 64;

    /** By command and first keys, in insertion order. Guarded by itself. */
    private final Map<Fingerprint, ReadList> lists =
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<Fingerprint, ReadList> eldest) {
            return size() > MAX_LISTS;
          }
        };

    /** Avoids the lock while the map is empty. */
    private volatile boolean any;

    private record Fingerprint(AheadRead read, List<String> keys) {}

    /** Returns the keys of an earlier loop that started with these; null if there is none. */
    @Nullable OfList repeated(AheadRead read, String... first) {
      ReadList found = null;
      if (any) {
        synchronized (lists) {
          found = lists.get(new Fingerprint(read, List.of(first)));
        }
      }
      return found == null ? null : new OfList(found, "", "");
    }

    /**
     * Returns the list of an earlier loop that started with this key; null if there is none, or
     * several.
     */
    @Nullable OfList beginningWith(AheadRead read, String first) {
      ReadList found = null;
      synchronized (lists) {
        for (Map.Entry<Fingerprint, ReadList> list : lists.entrySet()) {
          if (list.getKey().read() == read && list.getKey().keys().get(0).equals(first)) {
            if (found != null) {
              return null;
            }
            found = list.getValue();
          }
        }
      }
      return found == null ? null : new OfList(found, "", "");
    }

    private void remember(AheadRead read, ReadList keys) {
      List<String> first =
          keys.elements().subList(0, FINGERPRINT_KEYS).stream().map(String::valueOf).toList();
      synchronized (lists) {
        lists.put(new Fingerprint(read, first), keys);
      }
      any = true;
    }
  }
}
