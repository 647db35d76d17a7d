// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

/**
 * Decides whether GETs of one connection may travel as MGET, by what came of it before.
 *
 * <p>Every nil of an MGET costs a second request, and a round trip for its caller, so fusion pays
 * only while most keys exist. The share of nils is a moving average over keys; above the limit,
 * fusion pauses, and one batch in {@link #PROBE_INTERVAL} is fused to see whether it pays again. A
 * server that refuses MGET as such ends fusion for the connection.
 *
 * <p>Confined to the drain of the queue and to the event loop; a stale reading costs speed alone.
 */
final class FusionGauge {

  /** One nil in eight keys: from there on the second requests eat what fusion saves. */
  private static final double MAX_NIL_SHARE = 0.125;

  /** Weight of a batch in the average, per key: about the last 200 keys count. */
  private static final double WEIGHT_PER_KEY = 0.005;

  private static final int PROBE_INTERVAL = 32;

  private double nilShare;
  private int paused;
  private boolean refused;

  /** Whether the next run of GETs may be fused. */
  boolean mayFuse() {
    if (refused) {
      return false;
    }
    if (nilShare <= MAX_NIL_SHARE) {
      return true;
    }
    paused++;
    return paused % PROBE_INTERVAL == 0;
  }

  /** Learns from the reply to a fused batch. */
  void observe(int nils, int keys) {
    double weight = Math.min(1.0, WEIGHT_PER_KEY * keys);
    nilShare += weight * ((double) nils / keys - nilShare);
  }

  /** Learns that the server does not let this user send MGET. */
  void refused() {
    refused = true;
  }
}
