// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import java.util.concurrent.TimeUnit;

/**
 * The latest pauses of this JVM: garbage collection, a stopped process, or other load on the
 * processors. Recorded by a thread that runs every few milliseconds and notices when it is late.
 *
 * <p>Thread-safe.
 */
public final class Pauses {

  /** A thread that is late by less may only have waited for its time slice. */
  public static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Enough for an event loop that shares its processor to run, and too short to be noticed. */
  private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  private static final int KEPT = 16;

  private static final long[] ENDS = new long[KEPT];
  private static final long[] LENGTHS = new long[KEPT];
  private static int next;

  private Pauses() {}

  /**
   * How much longer than its deadline a thread waits for replies. One that wakes much later than
   * that did not run. Replies may have come meanwhile that no thread has read yet, and the event
   * loops need a moment for them.
   *
   * @param deadlineNanos has passed; by System.nanoTime
   * @return 25 milliseconds if the thread is that late, or 0
   */
  public static long graceNanos(long deadlineNanos) {
    return System.nanoTime() - deadlineNanos < MIN_NANOS ? 0 : GRACE_NANOS;
  }

  /** Records a pause that has just ended, if it was long. */
  public static void note(long endNanos, long lengthNanos) {
    if (lengthNanos >= MIN_NANOS) {
      synchronized (ENDS) {
        ENDS[next % KEPT] = endNanos;
        LENGTHS[next % KEPT] = lengthNanos;
        next++;
      }
    }
  }

  /** The total length of pauses since then. */
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
