// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the availability guard. Immutable.
 *
 * @param state UP, SLOW or DOWN
 * @param nodes each primary
 * @param healed the last connections that were closed to be opened again
 */
record GuardReport(
    String state,
    String reason,
    String since,
    @Nullable Double roundTripMillis,
    List<Node> nodes,
    List<Healed> healed) {

  /** The state of a node. */
  record Node(
      String node, String state, String reason, String since, @Nullable Double roundTripMillis) {}

  /** A connection that was closed to be opened again. */
  record Healed(String node, String cause, String reason, String at) {}

  /** Reads the current state. Can connect a client that has not connected yet. */
  static GuardReport of(Sheaf<?, ?> sheaf) {
    AvailabilityStatus whole = sheaf.availability().status();
    List<Node> nodes =
        sheaf.availability().nodes().entrySet().stream()
            .map(entry -> node(entry.getKey(), entry.getValue()))
            .toList();
    List<Healed> healed =
        sheaf.healed().stream()
            .map(
                one ->
                    new Healed(one.node(), one.cause().name(), one.reason(), one.at().toString()))
            .toList();
    return new GuardReport(
        whole.state().name(),
        whole.reason(),
        whole.since().toString(),
        millis(whole),
        nodes,
        healed);
  }

  private static Node node(String name, AvailabilityStatus status) {
    return new Node(
        name, status.state().name(), status.reason(), status.since().toString(), millis(status));
  }

  private static @Nullable Double millis(AvailabilityStatus status) {
    return status.roundTrip() == null ? null : status.roundTrip().toNanos() / 1e6;
  }
}
