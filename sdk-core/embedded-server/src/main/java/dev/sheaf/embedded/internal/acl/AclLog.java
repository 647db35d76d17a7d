// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

import java.util.ArrayList;
import java.util.List;

/** What users of one node were denied of late. */
public final class AclLog {
  /** Entries kept; the oldest go first. As acllog-max-len. */
  private static final int MAX_ENTRIES = 128;

  /** How long equal entries are counted as one, in milliseconds. */
  private static final long SAME_WITHIN = 60_000;

  /**
   * A thing that was denied.
   *
   * @param count how often it happened
   * @param reason auth, command, key or channel
   * @param context toplevel, multi or lua
   * @param object the command, key, channel or user name
   * @param user whose session it was
   * @param at the last time, in milliseconds since the epoch
   * @param client the session as CLIENT LIST shows it
   */
  public record Entry(
      int count,
      String reason,
      String context,
      String object,
      String user,
      long at,
      String client) {
    boolean same(Entry other) {
      return reason.equals(other.reason)
          && context.equals(other.context)
          && object.equals(other.object)
          && user.equals(other.user)
          && other.at - at < SAME_WITHIN;
    }
  }

  private final List<Entry> newestFirst = new ArrayList<>();

  public void add(Entry added) {
    Entry entry = added;
    for (Entry known : newestFirst) {
      if (known.same(added)) {
        entry =
            new Entry(
                known.count() + 1,
                added.reason(),
                added.context(),
                added.object(),
                added.user(),
                added.at(),
                added.client());
        newestFirst.remove(known);
        break;
      }
    }
    newestFirst.add(0, entry);
    if (newestFirst.size() > MAX_ENTRIES) {
      newestFirst.remove(newestFirst.size() - 1);
    }
  }

  public List<Entry> newest(long count) {
    return List.copyOf(newestFirst.subList(0, (int) Math.min(count, newestFirst.size())));
  }

  public void clear() {
    newestFirst.clear();
  }
}
