// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.time.Duration;
import java.util.Objects;

/**
 * How a client learns loops that nobody declared. Immutable; {@link #defaults()} fits most clients.
 */
public final class LoopLearning {

  private static final Duration LONGEST_AGE = Duration.ofMinutes(1);

  private final Duration maxAge;
  private final int maxVainPercent;

  private LoopLearning(Builder given) {
    maxAge = given.maxAge;
    maxVainPercent = given.maxVainPercent;
    if (maxAge.isNegative() || maxAge.isZero() || maxAge.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "maxAge must be positive and at most " + LONGEST_AGE + ", but was " + maxAge);
    }
    if (maxVainPercent < 1 || maxVainPercent > 100) {
      throw new IllegalArgumentException(
          "maxVainPercent must be from 1 to 100, but was " + maxVainPercent);
    }
  }

  /** The defaults that the methods name. */
  public static LoopLearning defaults() {
    return builder().build();
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * How long a value that was read ahead may wait to be handed out, from its request on, up to 1
   * minute; 50 milliseconds by default. It must be longer than a round trip.
   */
  public Duration maxAge() {
    return maxAge;
  }

  /**
   * Which share of the reads of a place may be in vain before nothing is read ahead there any more,
   * in percent, 1 to 100; 25 by default.
   */
  public int maxVainPercent() {
    return maxVainPercent;
  }

  /** Collects options; {@link #build()} checks them. */
  public static final class Builder {

    private Duration maxAge = Duration.ofMillis(50);
    private int maxVainPercent = 25;

    private Builder() {}

    /** See {@link LoopLearning#maxAge()}. */
    public Builder maxAge(Duration maxAge) {
      this.maxAge = Objects.requireNonNull(maxAge, "maxAge");
      return this;
    }

    /** See {@link LoopLearning#maxVainPercent()}. */
    public Builder maxVainPercent(int maxVainPercent) {
      this.maxVainPercent = maxVainPercent;
      return this;
    }

    /**
     * Makes the options.
     *
     * @throws IllegalArgumentException if one is out of its range; the message names it
     */
    @CheckReturnValue
    public LoopLearning build() {
      return new LoopLearning(this);
    }
  }
}
