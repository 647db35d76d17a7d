// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.List;

/**
 * A client waiting in a blocking command. {@code attempt} tries the command again on one key that
 * has become ready and says whether it was served; {@code timedOut} writes the empty reply.
 */
public final class BlockedClient {
  /** Tries to serve the waiting client from the key. */
  public interface Attempt {
    boolean serve(byte[] key);
  }

  public final Client client;
  final int dbIndex;
  final List<byte[]> keys;
  final long deadline;
  final Attempt attempt;
  final Runnable timedOut;

  /** {@code deadline} in milliseconds since the epoch; zero waits for ever. */
  public BlockedClient(
      Client client,
      int dbIndex,
      List<byte[]> keys,
      long deadline,
      Attempt attempt,
      Runnable timedOut) {
    this.client = client;
    this.dbIndex = dbIndex;
    this.keys = keys;
    this.deadline = deadline;
    this.attempt = attempt;
    this.timedOut = timedOut;
  }
}
