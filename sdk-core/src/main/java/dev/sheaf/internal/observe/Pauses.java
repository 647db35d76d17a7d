// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import java.util.concurrent.TimeUnit;

/**
 * The last times in which the threads of this JVM did not run: garbage collection, a stopped
 * process, or other work on the processors. Noted by a thread that wants to run every few
 * milliseconds, while it does.
 *
 * <p>Thread-safe.
 */
public final class Pauses {

  /** A thread that comes late by less may have waited for its turn. */
  public static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final int KEPT = 16;

  private static final long[] ENDS = new long[KEPT];
  private static final long[] LENGTHS = new long[KEPT];
  private static int next;

  private Pauses() {}

  /** Takes note of a time that has just ended, if it was long. */
  public static void note(long endNanos, long lengthNanos) {
    if (lengthNanos >= MIN_NANOS) {
      synchronized (ENDS) {
        ENDS[next % KEPT] = endNanos;
        LENGTHS[next % KEPT] = lengthNanos;
        next++;
      }
    }
  }

  /** For how long threads did not run since then. */
  static long nanosSince(long sinceNanos) {
    long sum = 0;
    synchronized (ENDS) {
      for (int i = 0; i < Math.min(next, KEPT); i++) {
        sum += Math.max(0, Math.min(LENGTHS[i], ENDS[i] - sinceNanos));
      }
    }
    return sum;
  }
}
