// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A change of state. Immutable.
 *
 * @param node the node as {@code host:port}; null if Redis as a whole changed
 * @param before the status that ended
 * @param after the status that began
 */
public record AvailabilityChange(
    @Nullable String node, AvailabilityStatus before, AvailabilityStatus after) {

  /** Checks that both statuses are there. */
  public AvailabilityChange {
    Objects.requireNonNull(before, "before");
    Objects.requireNonNull(after, "after");
  }
}
