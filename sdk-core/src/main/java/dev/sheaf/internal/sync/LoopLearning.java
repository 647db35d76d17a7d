// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.time.Duration;

/**
 * How a client learns loops that nobody declared; {@code SheafBuilder.learnLoops} says what for.
 *
 * @param maxAge how long a value that was read ahead may wait to be handed out
 * @param maxVainPercent which share of the reads of a place may be in vain before it stops
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

  /** What holds unless something else is asked for. */
  public static LoopLearning defaults() {
    return new LoopLearning(Duration.ofMillis(50), 25);
  }
}
