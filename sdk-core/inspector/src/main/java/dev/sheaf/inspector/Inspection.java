// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is stored under a key, at about one moment. Immutable.
 *
 * @param type "string", "hash", "list", "set", "zset", "stream" or another; "none" if there is no
 *     such key
 * @param ttl how long the key has to live; null for ever
 * @param encoding how the server keeps it; null if it does not tell
 * @param memoryBytes how much memory it takes there; -1 if the server does not tell
 * @param slot its slot in a cluster
 * @param node the node that has the slot, as {@code host:port}; null on a single server
 * @param elements how many elements it has; 1 for a string
 * @param values the value, or the first elements; unmodifiable
 * @param note why values are left out; null if they are not
 */
public record Inspection(
    String type,
    @Nullable Duration ttl,
    @Nullable String encoding,
    long memoryBytes,
    int slot,
    @Nullable String node,
    long elements,
    List<InspectedValue> values,
    @Nullable String note) {

  /** Makes the values unmodifiable. */
  public Inspection {
    values = List.copyOf(values);
  }

  /** Whether the key exists. */
  public boolean exists() {
    return !type.equals("none");
  }
}
