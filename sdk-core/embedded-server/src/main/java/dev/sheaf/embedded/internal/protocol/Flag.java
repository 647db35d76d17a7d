// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

import java.util.Locale;

/** The command flags of COMMAND, and some internal ones. */
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
  /** Valkey's name of {@link #SKIP_SLOWLOG}. */
  SKIP_COMMANDLOG,
  ASKING,
  FAST,
  NO_AUTH,
  /** Not allowed for clients in Redis: scripts or messages that can reach replicas. */
  MAY_REPLICATE,
  NO_ASYNC_LOADING,
  NO_MULTI,
  ALLOW_BUSY,
  NO_MANDATORY_KEYS,
  /** Runs immediately inside a transaction. */
  NEVER_QUEUED,
  /** Allowed for a subscribed RESP2 client. */
  FOR_SUBSCRIBERS;

  /** Returns whether COMMAND reports it. */
  public boolean isShown() {
    return this != MAY_REPLICATE && this != NEVER_QUEUED && this != FOR_SUBSCRIBERS;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
