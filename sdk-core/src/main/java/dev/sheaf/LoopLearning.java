package dev.sheaf;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How loops are learned that nobody declared. Immutable; {@link #defaults()} fits most clients, the
 * {@code with} methods change one limit.
 *
 * @param maxAge how long a value that was read ahead may wait to be handed out, from its request
 *     on, up to 1 minute; 50 milliseconds by default. It must be longer than a round trip
 * @param maxWindowKeys most keys that are read ahead at once, 2 to 4,096; 256 by default, as in
 *     {@code Sheaf.loop}
 * @param maxWindowBytes bytes of replies that a window should not exceed, judged by those before,
 *     at least 1; 256 KiB by default
 * @param maxWindows most windows that hold values at once, of all threads, at least 1; 256 by
 *     default. Further loops read key by key
 * @param maxPlaces most places in the code that are remembered, at least 1; 256 by default
 * @param maxLists most lists of keys that are remembered for a loop that reads the same keys again,
 *     0 to 4,096; 64 by default, each with at most 1,024 keys
 * @param maxVainPercent which share of the reads of a place may be in vain before nothing is read
 *     ahead there any more, 1 to 100; 25 by default
 */
public record LoopLearning(
    Duration maxAge,
    int maxWindowKeys,
    long maxWindowBytes,
    int maxWindows,
    int maxPlaces,
    int maxLists,
    int maxVainPercent) {

  private static final Duration LONGEST_AGE = Duration.ofMinutes(1);
  private static final int MOST_KEYS = 4_096;

  private static final LoopLearning DEFAULTS =
      new LoopLearning(Duration.ofMillis(50), 256, 256 << 10, 256, 256, 64, 25);

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is out of its range; the message names it
   */
  public LoopLearning {
    if (maxAge.isNegative() || maxAge.isZero() || maxAge.compareTo(LONGEST_AGE) > 0) {
      throw new IllegalArgumentException(
          "maxAge must be positive and at most " + LONGEST_AGE + ", but was " + maxAge);
    }
    require("maxWindowKeys", maxWindowKeys, 2, MOST_KEYS);
    require("maxWindowBytes", maxWindowBytes, 1, Long.MAX_VALUE);
    require("maxWindows", maxWindows, 1, Integer.MAX_VALUE);
    require("maxPlaces", maxPlaces, 1, Integer.MAX_VALUE);
    require("maxLists", maxLists, 0, MOST_KEYS);
    require("maxVainPercent", maxVainPercent, 1, 100);
  }

  private static void require(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name
              + " must be at least "
              + least
              + (most >= Integer.MAX_VALUE ? "" : " and at most " + most)
              + ", but was "
              + value);
    }
  }

  /** The defaults named above. */
  public static LoopLearning defaults() {
    return DEFAULTS;
  }

  /** These options with another {@link #maxAge()}. */
  public LoopLearning withMaxAge(Duration maxAge) {
    return changed(options -> options.maxAge = maxAge);
  }

  /** These options with other limits for one window. */
  public LoopLearning withMaxWindow(int maxWindowKeys, long maxWindowBytes) {
    return changed(
        options -> {
          options.maxWindowKeys = maxWindowKeys;
          options.maxWindowBytes = maxWindowBytes;
        });
  }

  /** These options with another {@link #maxWindows()}. */
  public LoopLearning withMaxWindows(int maxWindows) {
    return changed(options -> options.maxWindows = maxWindows);
  }

  /** These options with another {@link #maxPlaces()}. */
  public LoopLearning withMaxPlaces(int maxPlaces) {
    return changed(options -> options.maxPlaces = maxPlaces);
  }

  /** These options with another {@link #maxLists()}. */
  public LoopLearning withMaxLists(int maxLists) {
    return changed(options -> options.maxLists = maxLists);
  }

  /** These options with another {@link #maxVainPercent()}. */
  public LoopLearning withMaxVainPercent(int maxVainPercent) {
    return changed(options -> options.maxVainPercent = maxVainPercent);
  }

  private LoopLearning changed(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** The limits while one of them changes. */
  private static final class Draft {

    private Duration maxAge;
    private int maxWindowKeys;
    private long maxWindowBytes;
    private int maxWindows;
    private int maxPlaces;
    private int maxLists;
    private int maxVainPercent;

    Draft(LoopLearning from) {
      this.maxAge = from.maxAge;
      this.maxWindowKeys = from.maxWindowKeys;
      this.maxWindowBytes = from.maxWindowBytes;
      this.maxWindows = from.maxWindows;
      this.maxPlaces = from.maxPlaces;
      this.maxLists = from.maxLists;
      this.maxVainPercent = from.maxVainPercent;
    }

    LoopLearning options() {
      return new LoopLearning(
          maxAge, maxWindowKeys, maxWindowBytes, maxWindows, maxPlaces, maxLists, maxVainPercent);
    }
  }
}
