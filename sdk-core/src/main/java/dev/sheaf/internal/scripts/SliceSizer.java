// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

/**
 * Chooses the number of keys of the next slice from the cost of earlier keys. Not thread-safe.
 *
 * <p>A cost above the estimate counts at once by half, one below it gradually: a slice that is too
 * short wastes little time, one that is too long delays other clients.
 */
final class SliceSizer {

  /** Keys in the first slice: at 20 µs a key still within the default budget. */
  static final int FIRST_KEYS = 100;

  private static final int GROWTH = 2;
  private static final double WEIGHT_OF_MORE = 0.5;
  private static final double WEIGHT_OF_LESS = 0.25;

  /** The cost of a call besides its keys. It matters where slots have few keys. */
  private static final long CALL_NANOS = 5_000;

  /**
   * The cost of a key besides the script: reading it and passing it to Lua. The script's clock does
   * not see it; it was about 270 ns on the machine where this was measured.
   */
  private static final long KEY_NANOS = 300;

  private final long targetNanos;
  private final int maxKeys;
  private int largestSeen = FIRST_KEYS / GROWTH;
  private double nanosPerKey;

  SliceSizer(long targetNanos, int maxKeys) {
    this.targetNanos = targetNanos;
    this.maxKeys = maxKeys;
    this.nanosPerKey = (double) targetNanos / FIRST_KEYS;
  }

  int next() {
    long fitting = (long) ((targetNanos - CALL_NANOS) / nanosPerKey);
    long most = Math.min(maxKeys, (long) largestSeen * GROWTH);
    return (int) Math.max(1, Math.min(fitting, most));
  }

  long estimateNanos(int keys) {
    return CALL_NANOS + (long) (keys * nanosPerKey);
  }

  /** Records the cost of a slice as the client saw it. */
  void observed(int keys, long nanos) {
    largestSeen = Math.max(largestSeen, keys);
    double seen = KEY_NANOS + (double) nanos / keys;
    double weight = seen > nanosPerKey ? WEIGHT_OF_MORE : WEIGHT_OF_LESS;
    nanosPerKey += weight * (seen - nanosPerKey);
  }
}
