// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.Locale;

/** What COMMAND reports about a command, in Redis' words, and a little more. */
public enum Flag {
  WRITE,
  READONLY,
  DENYOOM,
  ADMIN,
  PUBSUB,
  NOSCRIPT,
  BLOCKING,
  LOADING,
  STALE,
  SKIP_MONITOR,
  SKIP_SLOWLOG,
  /** As {@link #SKIP_SLOWLOG}, as Valkey calls it. */
  SKIP_COMMANDLOG,
  ASKING,
  FAST,
  NO_AUTH,
  /** Kept from clients, as Redis does: a script or message that may reach the replicas. */
  MAY_REPLICATE,
  NO_ASYNC_LOADING,
  NO_MULTI,
  ALLOW_BUSY,
  NO_MANDATORY_KEYS,
  /** Runs at once in a transaction. */
  NEVER_QUEUED,
  /** Allowed to a RESP2 client that has subscribed. */
  FOR_SUBSCRIBERS;

  /** Whether COMMAND tells it. */
  public boolean isShown() {
    return this != MAY_REPLICATE && this != NEVER_QUEUED && this != FOR_SUBSCRIBERS;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
