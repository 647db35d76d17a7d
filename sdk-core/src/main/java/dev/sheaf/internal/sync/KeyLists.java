// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.sync.KeySource.Repeated;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The keys of earlier loops over one connection, for those that read the same. Thread-safe. */
final class KeyLists {

  /** How many keys tell a loop that was seen before. */
  static final int FINGERPRINT_KEYS = 3;

  /** Lists that are remembered; the oldest gives way. */
  private static final int MAX_LISTS = 64;

  /** By command and first keys. */
  private final ConcurrentMap<Fingerprint, Repeated> lists = new ConcurrentHashMap<>();

  /** In the order in which they were remembered. Guarded by itself. */
  private final Deque<Fingerprint> listOrder = new ArrayDeque<>();

  private record Fingerprint(AheadRead read, List<String> keys) {}

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
        new Fingerprint(read, List.copyOf(keys.keys().subList(0, FINGERPRINT_KEYS)));
    if (lists.put(first, keys) == null) {
      synchronized (listOrder) {
        listOrder.add(first);
        if (listOrder.size() > MAX_LISTS) {
          lists.remove(listOrder.remove());
        }
      }
    }
  }
}
