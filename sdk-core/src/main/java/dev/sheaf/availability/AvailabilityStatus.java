// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The status of a node, or of Redis as a whole, at one moment. Immutable.
 *
 * @param state whether it can be used
 * @param reason why it is in that state, for logs and people; its wording may change
 * @param since when it entered that state
 * @param roundTrip the round trip of the last answered PING, in a cluster the longest; null before
 *     the first
 */
public record AvailabilityStatus(
    AvailabilityState state, String reason, Instant since, @Nullable Duration roundTrip) {

  /** Requires all components except the round trip. */
  public AvailabilityStatus {
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(since, "since");
  }
}
