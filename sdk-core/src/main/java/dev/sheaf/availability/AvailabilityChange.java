// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of the availability state. Immutable.
 *
 * @param node the node as {@code host:port}; null for Redis as a whole
 * @param before the previous status
 * @param after the new status
 */
public record AvailabilityChange(
    @Nullable String node, AvailabilityStatus before, AvailabilityStatus after) {

  /** Requires both statuses. */
  public AvailabilityChange {
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
  }
}
