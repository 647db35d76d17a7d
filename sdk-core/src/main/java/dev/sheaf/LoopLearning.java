// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.time.Duration;

/**
 * The limits of learned loops. They bound one client. Immutable; {@link #defaults()} fits most
 * clients.
 */
public final class LoopLearning {

  private static final Duration LONGEST_AGE = Duration.ofMinutes(1);
  private static final int MOST_KEYS = 4_096;
  private static final LoopLearning DEFAULTS = builder().build();

  private final Duration maxAge;
  private final int maxWindowKeys;
  private final long maxWindowBytes;
  private final int maxWindows;
  private final int maxPlaces;
  private final int maxLists;
  private final int maxVainPercent;

  private LoopLearning(Builder given) {
    maxAge = given.maxAge;
    if (maxAge.isNegative() || maxAge.isZero() || maxAge.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "maxAge must be positive and at most " + LONGEST_AGE + ", but was " + maxAge);
    }
    maxWindowKeys = (int) within("maxWindowKeys", given.maxWindowKeys, 2, MOST_KEYS);
    maxWindowBytes = within("maxWindowBytes", given.maxWindowBytes, 1, Long.MAX_VALUE);
    maxWindows = (int) within("maxWindows", given.maxWindows, 1, Integer.MAX_VALUE);
    maxPlaces = (int) within("maxPlaces", given.maxPlaces, 1, Integer.MAX_VALUE);
    maxLists = (int) within("maxLists", given.maxLists, 0, MOST_KEYS);
    maxVainPercent = (int) within("maxVainPercent", given.maxVainPercent, 1, 100);
  }

  private static long within(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name
              + " must be at least "
              + least
              + (most >= Integer.MAX_VALUE ? "" : " and at most " + most)
              + ", but was "
              + value);
    }
    return value;
  }

  /** The defaults that the methods name. */
  public static LoopLearning defaults() {
    return DEFAULTS;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins with these options. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.maxAge = maxAge;
    builder.maxWindowKeys = maxWindowKeys;
    builder.maxWindowBytes = maxWindowBytes;
    builder.maxWindows = maxWindows;
    builder.maxPlaces = maxPlaces;
    builder.maxLists = maxLists;
    builder.maxVainPercent = maxVainPercent;
    return builder;
  }

  /**
   * How long a value that was read ahead may wait to be handed out, from its request on, up to 1
   * minute; 50 milliseconds by default. It must be longer than a round trip.
   */
  public Duration maxAge() {
    return maxAge;
  }

  /**
   * The most keys that are read ahead at once, 2 to 4,096; 256 by default, as in {@code
   * Sheaf.loop}.
   */
  public int maxWindowKeys() {
    return maxWindowKeys;
  }

  /**
   * The bytes of replies that a window should not exceed, judged by those before, at least 1; 256
   * KiB by default.
   */
  public long maxWindowBytes() {
    return maxWindowBytes;
  }

  /**
   * The most windows that hold values at once, of all threads, at least 1; 256 by default. Further
   * loops read key by key.
   */
  public int maxWindows() {
    return maxWindows;
  }

  /** The most places in the code that are remembered, at least 1; 256 by default. */
  public int maxPlaces() {
    return maxPlaces;
  }

  /**
   * The most lists of keys that are remembered for a loop that reads the same keys again, 0 to
   * 4,096; 64 by default, each with at most 1,024 keys.
   */
  public int maxLists() {
    return maxLists;
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
    private int maxWindowKeys = 256;
    private long maxWindowBytes = 256 << 10;
    private int maxWindows = 256;
    private int maxPlaces = 256;
    private int maxLists = 64;
    private int maxVainPercent = 25;

    private Builder() {}

    /** See {@link LoopLearning#maxAge()}. */
    public Builder maxAge(Duration maxAge) {
      this.maxAge = maxAge;
      return this;
    }

    /** See {@link LoopLearning#maxWindowKeys()}. */
    public Builder maxWindowKeys(int maxWindowKeys) {
      this.maxWindowKeys = maxWindowKeys;
      return this;
    }

    /** See {@link LoopLearning#maxWindowBytes()}. */
    public Builder maxWindowBytes(long maxWindowBytes) {
      this.maxWindowBytes = maxWindowBytes;
      return this;
    }

    /** See {@link LoopLearning#maxWindows()}. */
    public Builder maxWindows(int maxWindows) {
      this.maxWindows = maxWindows;
      return this;
    }

    /** See {@link LoopLearning#maxPlaces()}. */
    public Builder maxPlaces(int maxPlaces) {
      this.maxPlaces = maxPlaces;
      return this;
    }

    /** See {@link LoopLearning#maxLists()}. */
    public Builder maxLists(int maxLists) {
      this.maxLists = maxLists;
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
