// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.time.Instant;
import java.util.Objects;

/**
 * A connection that was closed by the client to be made anew. Immutable.
 *
 * @param node the node as {@code host:port}
 * @param cause what was wrong with the connection
 * @param reason the same for logs and people; its wording may change
 * @param at when it was closed
 */
public record HealedConnection(String node, Cause cause, String reason, Instant at) {

  /** What was wrong with a connection that was made anew. */
  public enum Cause {
    /** The node answered READONLY: it is a replica now. */
    REPLICA,

    /** The connection was silent, though the node answered elsewhere or the time-out was over. */
    SILENT,

    /** The node answered MOVED with its own address: the name leads to another node now. */
    MOVED_LOOP,

    /** The node answered LOADING, MASTERDOWN or CLUSTERDOWN for too long. */
    REFUSED
  }

  /** Checks that all is there. */
  public HealedConnection {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(cause, "cause");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(at, "at");
  }
}
