// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

/**
 * One direction of the simulated network, shared by all connections. Confined to the event loop.
 */
final class ProxyLink {

  private static final double BITS_TIMES_NANOS = 8e9;
  private static final long NO_CUT = Long.MAX_VALUE;

  private final long bitsPerSecond;
  long delayNanos;
  boolean paused;
  long bytesUntilCut = NO_CUT;
  private long busyUntil = System.nanoTime();

  /**
   * @param bitsPerSecond 0 for no limit
   */
  ProxyLink(long delayNanos, long bitsPerSecond) {
    this.delayNanos = delayNanos;
    this.bitsPerSecond = bitsPerSecond;
  }

  /** Returns when the last of {@code bytes} that arrive now is delivered at the other end. */
  long dueAt(long now, int bytes) {
    if (bitsPerSecond == 0) {
      return now + delayNanos;
    }
    long start = busyUntil - now > 0 ? busyUntil : now;
    busyUntil = start + (long) Math.ceil(bytes * BITS_TIMES_NANOS / bitsPerSecond);
    return busyUntil + delayNanos;
  }

  /** Returns how many of {@code bytes} can be delivered before the cut. */
  int allowance(int bytes) {
    return (int) Math.min(bytes, bytesUntilCut);
  }

  /** Counts delivered bytes. Returns true once, when the cut is reached. */
  boolean passed(int bytes) {
    if (bytesUntilCut == NO_CUT) {
      return false;
    }
    bytesUntilCut -= bytes;
    if (bytesUntilCut > 0) {
      return false;
    }
    bytesUntilCut = NO_CUT;
    return true;
  }
}
