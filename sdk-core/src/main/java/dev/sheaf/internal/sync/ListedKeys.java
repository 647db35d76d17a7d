// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.sync.FollowedLoop.Asked;
import dev.sheaf.internal.sync.KeySource.OfList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lists of ids that a thread has read, and the possible loops over them of which it has read
 * one key. Confined to that thread.
 */
final class ListedKeys<K> {

  /** The most lists that are remembered, the latest first. */
  private static final int MAX_LISTS = 4;

  /**
   * The most first keys that wait for a second one, which confirms their common part with a list.
   */
  private static final int MAX_CANDIDATES = 16;

  /** The elements with which a sequential loop over a list can start. */
  private static final int FIRST_ELEMENTS = 3;

  private final List<ReadList> lists = new ArrayList<>();
  private final List<FollowedLoop<K>> candidates = new ArrayList<>();

  boolean isEmpty() {
    return lists.isEmpty();
  }

  /** Adds a list that was read. */
  void add(ReadList list) {
    forgetOld(list.readAtNanos());
    if (lists.size() == MAX_LISTS) {
      lists.remove(MAX_LISTS - 1);
    }
    lists.add(0, list);
  }

  void forgetOld(long now) {
    lists.removeIf(list -> now - list.readAtNanos() > FollowedLoop.MAX_PAUSE_NANOS);
  }

  void clearCandidates() {
    candidates.clear();
  }

  /** Returns a loop over a list whose first key was read before and whose second is this one. */
  @Nullable FollowedLoop<K> proven(Asked asked) {
    for (int i = candidates.size() - 1; i >= 0; i--) {
      FollowedLoop<K> candidate = candidates.get(i);
      int index = asked.keyIndex(candidate);
      if (index != Loop.NONE && !candidate.hasRead(index)) {
        candidates.clear();
        return candidate;
      }
    }
    return null;
  }

  /** Returns loops over the latest list that this key may start. */
  List<FollowedLoop<K>> begunBy(Asked asked) {
    propose(asked);
    List<FollowedLoop<K>> begun = new ArrayList<>();
    ReadList latest = null;
    for (int i = candidates.size() - 1; i >= 0; i--) {
      FollowedLoop<K> candidate = candidates.get(i);
      if (candidate.source() instanceof OfList of
          && (latest == null || latest == of.list())
          && asked.keyIndex(candidate) == candidate.last()) {
        latest = of.list();
        begun.add(candidate);
      }
    }
    return begun;
  }

  /** Records the lists that have an element within this key. */
  private void propose(Asked asked) {
    // The latest list comes last, where the search starts.
    for (int n = lists.size() - 1; n >= 0; n--) {
      ReadList list = lists.get(n);
      for (int i = 0; i < Math.min(FIRST_ELEMENTS, list.size()); i++) {
        String element = list.get(i);
        if (element != null && !element.isEmpty()) {
          int at = asked.text().indexOf(element);
          while (at >= 0) {
            propose(asked, list, at, at + element.length());
            at = asked.text().indexOf(element, at + 1);
          }
        }
      }
      proposeParts(asked, list);
    }
  }

  /** A loop in another order can start with any element; it must then be delimited by colons. */
  private void proposeParts(Asked asked, ReadList list) {
    String text = asked.text();
    int start = 0;
    while (start <= text.length()) {
      int colon = text.indexOf(':', start);
      int end = colon < 0 ? text.length() : colon;
      if (end > start && list.indexOf(text.substring(start, end)) >= FIRST_ELEMENTS) {
        propose(asked, list, start, end);
      }
      start = end + 1;
    }
  }

  private void propose(Asked asked, ReadList list, int from, int to) {
    String text = asked.text();
    FollowedLoop<K> candidate =
        asked.begin(new OfList(list, text.substring(0, from), text.substring(to)), text);
    if (candidate != null) {
      if (candidates.size() == MAX_CANDIDATES) {
        candidates.remove(0);
      }
      candidates.add(candidate);
    }
  }
}
