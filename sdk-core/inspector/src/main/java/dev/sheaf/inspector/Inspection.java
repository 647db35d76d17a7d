// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The data stored under a key, read at about the same time. Immutable.
 *
 * @param type "string", "hash", "list", "set", "zset", "stream" or another; "none" if the key does
 *     not exist
 * @param ttl the time to live; null without one
 * @param encoding the server's internal encoding; null if unknown
 * @param memoryBytes its memory on the server; -1 if unknown
 * @param slot its slot in a cluster
 * @param node the node that has the slot, as {@code host:port}; null on a single server
 * @param elements the number of elements; 1 for a string
 * @param values the value, or the first elements; unmodifiable
 * @param note why values are omitted; null otherwise
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

  /** Copies the values. */
  public Inspection {
    values = List.copyOf(values);
  }

  /** Returns whether the key exists. */
  public boolean exists() {
    return !type.equals("none");
  }
}
