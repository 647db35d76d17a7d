// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The ACL categories of commands. */
public final class Categories {
  /** In the order of ACL CAT. */
  public static final List<String> ALL =
      List.of(
          ("keyspace read write set sortedset list hash string bitmap hyperloglog geo stream pubsub"
                  + " admin fast slow blocking dangerous connection transaction scripting")
              .split(" "));

  private Categories() {}

  /** Returns the categories implied by flags, in addition to those of the row. */
  static Set<String> implied(Set<Flag> flags, Group group) {
    Set<String> found = new LinkedHashSet<>();
    if (flags.contains(Flag.WRITE)) {
      found.add("write");
    }
    if (flags.contains(Flag.READONLY) && group != Group.SCRIPTING) {
      found.add("read");
    }
    if (flags.contains(Flag.ADMIN)) {
      found.addAll(List.of("admin", "dangerous"));
    }
    if (flags.contains(Flag.PUBSUB)) {
      found.add("pubsub");
    }
    found.add(flags.contains(Flag.FAST) ? "fast" : "slow");
    if (flags.contains(Flag.BLOCKING)) {
      found.add("blocking");
    }
    return found;
  }
}
