// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.node;

import java.util.List;

/**
 * A client waiting in a blocking command. {@code attempt} retries the command on one key that has
 * become ready, and returns whether it was served. {@code timedOut} writes the empty reply.
 *
 * @param deadline in milliseconds since the epoch; zero for no limit
 */
public record BlockedClient(
    Client client,
    int dbIndex,
    List<byte[]> keys,
    long deadline,
    BlockedClient.Attempt attempt,
    Runnable timedOut) {
  /** Tries to serve the waiting client from the key. */
  public interface Attempt {
    boolean serve(byte[] key);
  }
}
