// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.time.Duration;

/**
 * The options of learning loops; see {@code SheafBuilder.learnLoops}.
 *
 * @param maxAge how long a value read ahead may be used
 * @param maxVainPercent the share of unused values at a place above which it stops reading ahead
 */
public record LoopLearning(Duration maxAge, int maxVainPercent) {

  private static final Duration LONGEST_AGE = Duration.ofMinutes(1);

  /** Checks the ranges. */
  public LoopLearning {
    if (maxAge.isNegative() || maxAge.isZero() || maxAge.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "maxAge must be positive and at most " + LONGEST_AGE + ", but was " + maxAge);
    }
    if (maxVainPercent < 1 || maxVainPercent > 100) {
      throw new IllegalArgumentException(
          "maxVainPercent must be from 1 to 100, but was " + maxVainPercent);
    }
  }

  /** The default options. */
  public static LoopLearning defaults() {
    return new LoopLearning(Duration.ofMillis(50), 25);
  }
}
