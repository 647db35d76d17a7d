// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

/**
 * Decides whether GETs of one connection are sent as MGET, from the share of nils in earlier
 * replies.
 *
 * <p>Every nil costs a second request, and a round trip for its caller, so fusion pays only while
 * most keys exist. The share of nils is a moving average over keys. Above the limit fusion pauses,
 * and one batch in {@link #PROBE_INTERVAL} is fused to see whether it pays again. If the server
 * does not allow MGET, fusion ends for the connection.
 *
 * <p>Used by the drain of the queue, the event loop and callers that read pages, without locks: a
 * stale or lost value only costs speed.
 */
public final class FusionGauge {

  /** One nil in eight keys: above this, the second requests cost more than fusion saves. */
  private static final double MAX_NIL_SHARE = 0.125;

  /** The weight of each key in the average, which covers about the last 200 keys. */
  private static final double WEIGHT_PER_KEY = 0.005;

  private static final int PROBE_INTERVAL = 32;

  private double nilShare;
  private int paused;
  private boolean refused;

  /** Decides whether to fuse the next run of GETs. */
  public boolean decide() {
    if (refused) {
      return false;
    }
    if (nilShare <= MAX_NIL_SHARE) {
      return true;
    }
    paused++;
    return paused % PROBE_INTERVAL == 0;
  }

  /** Updates the average from the reply to an MGET. */
  public void observe(int nils, int keys) {
    double weight = Math.min(1.0, WEIGHT_PER_KEY * keys);
    nilShare += weight * ((double) nils / keys - nilShare);
  }

  /** Ends fusion, because the server does not allow MGET for this user. */
  public void refused() {
    refused = true;
  }
}
