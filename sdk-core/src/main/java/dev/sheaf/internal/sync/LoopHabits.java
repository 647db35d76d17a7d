// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How the loops of one client have gone so far, from which the first window of the next one is
 * made: a loop over a page that is read to its end wants all of it in one round trip, one that is
 * left early wants little.
 *
 * <p>Thread-safe. What threads do at the same time may be forgotten in part.
 */
final class LoopHabits {

  /** How much larger each window is than the one before, while its values are used. */
  static final int WINDOW_GROWTH = 4;

  /** Most keys in a window: the round trip is then a four-hundredth of what it would be. */
  static final int MAX_WINDOW_KEYS = 256;

  /**
   * Bytes of values that a window should not exceed, judged by the window before: 1 MiB. The first
   * window is judged by those of earlier loops.
   */
  static final long MAX_WINDOW_BYTES = 1 << 20;

  /** Keys in the first window as long as little is known: little is lost if the loop ends early. */
  static final int CAUTIOUS_KEYS = 16;

  /** Keys in it where loops are used to going to their end: a page, or a long list. */
  static final int TRUSTING_KEYS = 128;

  /** What one loop that went to its end is worth, in loops that may begin so after it. */
  private static final int WORTH = 2;

  /** How many loops may be left early in a row before the next begins cautiously again. */
  private static final int MAX_TRUST = 64;

  /** A smaller size counts by this part, a larger one at once. */
  private static final int SMOOTHING = 8;

  private final AtomicInteger trust = new AtomicInteger();
  private volatile long bytesPerKey;

  /** How many keys the first window of a loop has that begins now. */
  int firstWindowKeys() {
    if (trust.get() == 0) {
      return CAUTIOUS_KEYS;
    }
    long affordable = MAX_WINDOW_BYTES / Math.max(1, bytesPerKey);
    return (int) Math.max(1, Math.min(TRUSTING_KEYS, affordable));
  }

  /** A loop has read its first window. */
  void begun() {
    trust.getAndUpdate(before -> Math.max(0, before - 1));
  }

  /** A loop has come to its end, and used most of what it had read ahead. */
  void ended() {
    trust.getAndUpdate(before -> Math.min(MAX_TRUST, before + WORTH));
  }

  /** The mean size of the values in a window. */
  void observe(long bytes) {
    long before = bytesPerKey;
    bytesPerKey = bytes >= before ? bytes : before - (before - bytes) / SMOOTHING;
  }
}
