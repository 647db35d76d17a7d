// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import java.util.concurrent.TimeUnit;

/**
 * Knows about how long a reply takes at best on one connection, to tell whether to wait for one is
 * to wait for long.
 *
 * <p>The shortest of the last few hundred is taken: it is what the network and an idle server need,
 * while the usual one has the queues of a loaded client and server in it. Confined to the event
 * loop.
 */
final class RoundTripGauge {

  /**
   * What counts as near: a server on this machine, or on the next one. To hold a batch for such a
   * reply costs its callers less than the larger batch saves them; over any farther way it would
   * cost a good part of a second round trip.
   */
  private static final long NEAR_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

  /** What counts as far: about what it takes to wake the callers of a few dozen commands. */
  private static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  private static final int WINDOW = 256;

  private long shortest = Long.MAX_VALUE;
  private long shortestBefore = Long.MAX_VALUE;
  private int observed;

  void observe(long nanos) {
    shortest = Math.min(shortest, nanos);
    if (++observed == WINDOW) {
      observed = 0;
      shortestBefore = shortest;
      shortest = Long.MAX_VALUE;
    }
  }

  /** Whether replies come within the time worth waiting for. */
  boolean isNear() {
    return best() <= NEAR_NANOS;
  }

  /** Whether the way is so long that what is written earlier comes back much earlier. */
  boolean isFar() {
    return best() >= FAR_NANOS;
  }

  private long best() {
    return Math.min(shortest, shortestBefore);
  }
}
