// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.acl;

import java.util.ArrayList;
import java.util.List;

/** The recently refused actions of users of one node. */
public final class AclLog {
  /** The most entries, as acllog-max-len; the oldest are dropped. */
  private static final int MAX_ENTRIES = 128;

  /** How long equal entries are merged, in milliseconds. */
  private static final long SAME_WITHIN = 60_000;

  /**
   * A refused action.
   *
   * @param count how often it occurred
   * @param reason auth, command, key or channel
   * @param context toplevel, multi or lua
   * @param object the command, key, channel or user name
   * @param user the user of the session
   * @param at the last time, in milliseconds since the epoch
   * @param client the session as in CLIENT LIST
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
