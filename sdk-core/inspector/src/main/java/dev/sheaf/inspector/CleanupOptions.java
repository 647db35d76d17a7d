// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * The options of a {@link DictionaryCleaner}. Immutable. {@link #defaults} creates options; each
 * {@code with} method returns a copy with one change.
 *
 * @param dryRun whether to remove nothing
 * @param unusedFor how long no client may have used a dictionary, by the server's clock; a day by
 *     default, two hours at least: a client without contact to the server can use a dictionary
 *     until its lease ends, which is at most an hour
 * @param keysPerSecond the most keys, fields, elements and entries to scan in a second; 5,000 by
 *     default, so that the server has time for others
 * @param keysPerStep how many of these to scan in one step; 100 by default
 * @param maxListElements the longest list that is scanned. Elements of lists move, so a list is
 *     scanned in one step; with a longer one nothing is removed. 10,000 by default, which take a
 *     server some milliseconds
 * @param progress called after each step on the cleaning thread, with the number of scanned keys;
 *     an exception from it stops the cleaning
 */
@CheckReturnValue
public record CleanupOptions(
    boolean dryRun,
    Duration unusedFor,
    int keysPerSecond,
    int keysPerStep,
    int maxListElements,
    LongConsumer progress) {

  private static final Duration MIN_UNUSED_FOR = Duration.ofHours(2);
  private static final CleanupOptions DEFAULTS =
      new CleanupOptions(false, Duration.ofDays(1), 5_000, 100, 10_000, keys -> {});

  /**
   * Validates the options.
   *
   * @throws IllegalArgumentException if a limit is out of its range; the message names it
   */
  public CleanupOptions {
    Objects.requireNonNull(progress, "progress");
    if (unusedFor.compareTo(MIN_UNUSED_FOR) < 0) {
      throw new IllegalArgumentException(
          "unusedFor must be at least " + MIN_UNUSED_FOR + ", but was " + unusedFor);
    }
    requirePositive("keysPerSecond", keysPerSecond);
    requirePositive("keysPerStep", keysPerStep);
    requirePositive("maxListElements", maxListElements);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but was " + value);
    }
  }

  /** Returns the defaults named above. */
  public static CleanupOptions defaults() {
    return DEFAULTS;
  }

  /** Returns a copy that removes nothing. */
  public CleanupOptions withDryRun() {
    return new CleanupOptions(
        true, unusedFor, keysPerSecond, keysPerStep, maxListElements, progress);
  }

  /** Returns a copy with another {@link #unusedFor}. */
  public CleanupOptions withUnusedFor(Duration time) {
    return new CleanupOptions(dryRun, time, keysPerSecond, keysPerStep, maxListElements, progress);
  }

  /** Returns a copy with another pace. */
  public CleanupOptions withPace(int keysPerSecond, int keysPerStep) {
    return new CleanupOptions(
        dryRun, unusedFor, keysPerSecond, keysPerStep, maxListElements, progress);
  }

  /** Returns a copy with another {@link #maxListElements}. */
  public CleanupOptions withMaxListElements(int elements) {
    return new CleanupOptions(dryRun, unusedFor, keysPerSecond, keysPerStep, elements, progress);
  }

  /** Returns a copy with a progress listener. */
  public CleanupOptions withProgress(LongConsumer progress) {
    return new CleanupOptions(
        dryRun, unusedFor, keysPerSecond, keysPerStep, maxListElements, progress);
  }
}
