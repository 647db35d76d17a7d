package dev.sheaf.scripts;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The limits of a scatter. Immutable; {@link #defaults()} fits most, the {@code with} methods
 * change one.
 *
 * @param budget how long other clients of a node may have to wait for what is sent to it, positive;
 *     2 ms by default. A slice is made to take a fifth of it, by what the keys before took, and two
 *     of them are sent ahead, or as many short ones as take half of it: the rest is for what the
 *     others have to wait for anyway, and for slices that take longer than thought
 * @param maxSliceKeys most keys in one call, at least 1; 10,000 by default, below which a server
 *     spends less than a few milliseconds on reading the call itself
 * @param maxBufferedKeys most keys that are held to be sorted by their slots on a cluster, at least
 *     1; 131,072 by default, eight for each slot, and fewer where they have more than 16 MiB. On a
 *     single server those of one slice are held
 * @param progress told after each slice; it must not block. It does nothing by default
 */
public record ScatterOptions(
    Duration budget,
    int maxSliceKeys,
    int maxBufferedKeys,
    Consumer<? super ScatterProgress> progress) {

  private static final ScatterOptions DEFAULTS =
      new ScatterOptions(Duration.ofMillis(2), 10_000, 131_072, progress -> {});

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is below its minimum; the message names it
   */
  public ScatterOptions {
    Objects.requireNonNull(progress, "progress");
    if (budget.isNegative() || budget.isZero()) {
      throw new IllegalArgumentException("budget must be positive, but was " + budget);
    }
    requirePositive("maxSliceKeys", maxSliceKeys);
    requirePositive("maxBufferedKeys", maxBufferedKeys);
  }

  private static void requirePositive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but was " + value);
    }
  }

  /** The defaults named above. */
  public static ScatterOptions defaults() {
    return DEFAULTS;
  }

  /** The same with another budget. */
  public ScatterOptions withBudget(Duration newBudget) {
    return new ScatterOptions(newBudget, maxSliceKeys, maxBufferedKeys, progress);
  }

  /** The same with another limit of keys in one call. */
  public ScatterOptions withMaxSliceKeys(int keys) {
    return new ScatterOptions(budget, keys, maxBufferedKeys, progress);
  }

  /** The same with another limit of keys held. */
  public ScatterOptions withMaxBufferedKeys(int keys) {
    return new ScatterOptions(budget, maxSliceKeys, keys, progress);
  }

  /** The same with somebody to tell. */
  public ScatterOptions withProgress(Consumer<? super ScatterProgress> listener) {
    return new ScatterOptions(budget, maxSliceKeys, maxBufferedKeys, listener);
  }
}
