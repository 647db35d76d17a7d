// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import java.time.Instant;
import java.util.Objects;

/**
 * A connection that the client closed so that it is opened again. Immutable.
 *
 * @param node the node as {@code host:port}
 * @param cause what was wrong with the connection
 * @param reason the cause for logs and people; its wording may change
 * @param at when it was closed
 */
public record HealedConnection(String node, Cause cause, String reason, Instant at) {

  /** The reason for closing a connection. */
  public enum Cause {
    /** The node answered READONLY: it is a replica now. */
    REPLICA,

    /** A Sentinel announced another primary, while the old one still served the connection. */
    FAILOVER,

    /** The connection was silent although the node answered elsewhere, or beyond the time-out. */
    SILENT,

    /** The node answered MOVED with its own address: the name resolves to another node now. */
    MOVED_LOOP,

    /** The node answered LOADING, MASTERDOWN or CLUSTERDOWN for too long. */
    REFUSED
  }

  /** Requires all components. */
  public HealedConnection {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(cause, "cause");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(at, "at");
  }
}
