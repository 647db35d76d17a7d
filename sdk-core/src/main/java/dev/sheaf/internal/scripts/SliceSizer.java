// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

/**
 * How many keys the next slice has, by what the keys before have cost. Not thread-safe.
 *
 * <p>What costs more than thought counts at once for a half, what costs less bit by bit: too short
 * a slice costs a little time, too long a one is felt by others.
 */
final class SliceSizer {

  /** Keys in the first slice: even at 20 µs a key no more than the default budget. */
  static final int FIRST_KEYS = 100;

  private static final int GROWTH = 2;
  private static final double WEIGHT_OF_MORE = 0.5;
  private static final double WEIGHT_OF_LESS = 0.25;

  /** What a call costs the server besides its keys; it matters where slots have few of them. */
  private static final long CALL_NANOS = 5_000;

  /**
   * What a key costs the server besides the script: to read it and to hand it to Lua, some 270 ns
   * on the machine this was measured on, of which the script's clock knows nothing.
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

  /** Takes note of what a slice seems to have cost, seen from here. */
  void observed(int keys, long nanos) {
    largestSeen = Math.max(largestSeen, keys);
    double seen = KEY_NANOS + (double) nanos / keys;
    double weight = seen > nanosPerKey ? WEIGHT_OF_MORE : WEIGHT_OF_LESS;
    nanosPerKey += weight * (seen - nanosPerKey);
  }
}
