// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.sync.KeySource.Numbers;
import dev.sheaf.internal.sync.KeySource.Repeated;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The latest keys of a thread that belong to no loop, of one command, each once: what loops over
 * numbers, or over the keys of an earlier loop, begin with. Confined to that thread.
 */
final class KeyRow<K> {

  /** Fewer keys in a row are not remembered as a list. */
  private static final int MIN_REPEATED = 8;

  /** More keys in a row are remembered as several lists. */
  private static final int MAX_REPEATED = 1_024;

  private final KeyLists lists;
  private final Set<String> keys = new LinkedHashSet<>();
  private final String[] latest = new String[KeyLists.FINGERPRINT_KEYS];

  /** How many keys are remembered as a list. */
  private int remembered;

  private @Nullable AskedRead last;

  KeyRow(KeyLists lists) {
    this.lists = lists;
    Arrays.fill(latest, "");
  }

  /** Adds a key; the loop that it belongs to with those before it, null if there is none. */
  @Nullable FollowedLoop<K> add(AskedRead asked) {
    String text = asked.text();
    AskedRead before = last;
    if (before == null
        || !asked.isLike(before)
        || asked.nanos() - before.nanos() > AskedRead.MAX_PAUSE_NANOS
        || keys.size() == MAX_REPEATED
        || keys.contains(text)) {
      end();
    }
    last = asked;
    FollowedLoop<K> numbers = null;
    for (int i = KeyLists.FINGERPRINT_KEYS - 1; i >= 0 && numbers == null; i--) {
      numbers = asked.begin(Numbers.of(latest[i], text), List.of(latest[i], text));
    }
    System.arraycopy(latest, 1, latest, 0, KeyLists.FINGERPRINT_KEYS - 1);
    latest[KeyLists.FINGERPRINT_KEYS - 1] = text;
    FollowedLoop<K> repeated = asked.begin(lists.repeated(asked.read(), latest), List.of(latest));
    // Two numbers may differ by some step by chance, in a row of other keys.
    if (repeated == null) {
      keys.add(text);
      if (Integer.bitCount(keys.size()) == 1) {
        // A thread may end with its request, and say nothing of it.
        remember();
      }
    } else {
      keys.clear();
      remembered = 0;
    }
    return repeated == null ? numbers : repeated;
  }

  /** A key belongs to a loop after all, and what comes next to another row. */
  void endWithout(@Nullable String key) {
    keys.remove(key);
    end();
  }

  /** What comes next belongs to another row. */
  void end() {
    remember();
    keys.clear();
    remembered = 0;
    Arrays.fill(latest, "");
  }

  /** A loop over an earlier row has come to its end. It may go on, and is a longer one then. */
  void goesOn(Repeated list, AskedRead lastOfLoop) {
    if (list.size() < MAX_REPEATED) {
      end();
      keys.addAll(list.keys());
      remembered = keys.size();
      last = lastOfLoop;
    }
  }

  private void remember() {
    if (last != null && keys.size() >= MIN_REPEATED && keys.size() > remembered) {
      lists.remember(last.read(), Repeated.of(keys));
      remembered = keys.size();
    }
  }
}
