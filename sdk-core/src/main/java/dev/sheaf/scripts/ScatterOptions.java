// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static dev.sheaf.internal.common.OptionChecks.atLeast;
import static dev.sheaf.internal.common.OptionChecks.positive;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/** The limits of a scatter. Immutable; {@link #defaults()} fits most. */
public final class ScatterOptions {

  private static final ScatterOptions DEFAULTS = builder().build();

  private final Duration budget;
  private final int maxSliceKeys;
  private final Consumer<? super ScatterProgress> progress;

  private ScatterOptions(Builder given) {
    budget = positive("budget", given.budget);
    maxSliceKeys = atLeast(1, "maxSliceKeys", given.maxSliceKeys);
    progress = Objects.requireNonNull(given.progress, "progress");
  }

  /** The defaults that the methods name. */
  public static ScatterOptions defaults() {
    return DEFAULTS;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * How long other clients of a node may have to wait for what is sent to it, positive; 2 ms by
   * default. A slice is made to take a fifth of it, by what the keys before took, and two of them
   * are sent ahead, or as many short ones as take half of it: the rest is for what the others have
   * to wait for anyway, and for slices that take longer than thought.
   */
  public Duration budget() {
    return budget;
  }

  /**
   * Most keys in one call, at least 1; 10,000 by default, below which a server spends less than a
   * few milliseconds on reading the call itself.
   */
  public int maxSliceKeys() {
    return maxSliceKeys;
  }

  /** What is told after each slice; it must not block. It does nothing by default. */
  public Consumer<? super ScatterProgress> progress() {
    return progress;
  }

  /** Collects options; {@link #build()} checks them. */
  public static final class Builder {

    private Duration budget = Duration.ofMillis(2);
    private int maxSliceKeys = 10_000;
    private Consumer<? super ScatterProgress> progress = progress -> {};

    private Builder() {}

    /** See {@link ScatterOptions#budget()}. */
    public Builder budget(Duration budget) {
      this.budget = Objects.requireNonNull(budget, "budget");
      return this;
    }

    /** See {@link ScatterOptions#maxSliceKeys()}. */
    public Builder maxSliceKeys(int maxSliceKeys) {
      this.maxSliceKeys = maxSliceKeys;
      return this;
    }

    /** See {@link ScatterOptions#progress()}. */
    public Builder progress(Consumer<? super ScatterProgress> progress) {
      this.progress = progress;
      return this;
    }

    /**
     * Makes the options.
     *
     * @throws IllegalArgumentException if one is out of its range; the message names it
     */
    @CheckReturnValue
    public ScatterOptions build() {
      return new ScatterOptions(this);
    }
  }
}
