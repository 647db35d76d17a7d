// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * How a {@link DictionaryCleaner} works. Immutable; {@link #defaults} begins, the {@code with}
 * methods change one thing.
 *
 * @param dryRun whether to find only, and remove nothing
 * @param unusedFor how long no client may have used a dictionary, by the server's clock; a day by
 *     default. Two hours are the least: a client that has lost touch with the server may use one
 *     for as long as its lease, which an hour bounds
 * @param keysPerSecond how many keys, fields, elements and entries to look at in a second at most;
 *     5,000 by default, so that a server has time for others
 * @param keysPerStep how many of these to look at in one step; 100 by default
 * @param maxListElements a list is looked at in one step, because its elements move; with a longer
 *     one nothing is removed. 10,000 by default, which keep a server busy for some milliseconds
 * @param progress is told how many keys have been looked at after each step, on the cleaning
 *     thread; what it throws ends the cleaning
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
   * Checks the options.
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

  /** The defaults named above. */
  public static CleanupOptions defaults() {
    return DEFAULTS;
  }

  /** These options, finding only. */
  public CleanupOptions withDryRun() {
    return new CleanupOptions(
        true, unusedFor, keysPerSecond, keysPerStep, maxListElements, progress);
  }

  /** These options with another time without use. */
  public CleanupOptions withUnusedFor(Duration time) {
    return new CleanupOptions(dryRun, time, keysPerSecond, keysPerStep, maxListElements, progress);
  }

  /** These options with another pace. */
  public CleanupOptions withPace(int keysPerSecond, int keysPerStep) {
    return new CleanupOptions(
        dryRun, unusedFor, keysPerSecond, keysPerStep, maxListElements, progress);
  }

  /** These options for other lists. */
  public CleanupOptions withMaxListElements(int elements) {
    return new CleanupOptions(dryRun, unusedFor, keysPerSecond, keysPerStep, elements, progress);
  }

  /** These options with a listener. */
  public CleanupOptions withProgress(LongConsumer progress) {
    return new CleanupOptions(
        dryRun, unusedFor, keysPerSecond, keysPerStep, maxListElements, progress);
  }
}
