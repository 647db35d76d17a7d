// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static dev.sheaf.internal.common.OptionChecks.atLeast;
import static dev.sheaf.internal.common.OptionChecks.upTo;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The options of healing: when a connection that stays broken is closed and made anew, and how
 * often at most. Immutable; {@link #defaults()} fits most clients.
 */
public final class HealingOptions {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final double MAX_JITTER = 0.9;
  private static final HealingOptions DEFAULTS = builder().build();

  private final boolean enabled;
  private final Duration minPause;
  private final Duration maxPause;
  private final double jitter;
  private final int maxPerSecond;
  private final Duration refusedFor;
  private final Consumer<HealedConnection> listener;

  private HealingOptions(Builder given) {
    enabled = given.enabled;
    minPause = atLeast(SHORTEST, "minPause", given.minPause);
    maxPause = atLeast(SHORTEST, "maxPause", given.maxPause);
    jitter = upTo(MAX_JITTER, "jitter", given.jitter);
    maxPerSecond = atLeast(1, "maxPerSecond", given.maxPerSecond);
    refusedFor = atLeast(SHORTEST, "refusedFor", given.refusedFor);
    listener = Objects.requireNonNull(given.listener, "listener");
  }

  /** The defaults that the methods name. */
  public static HealingOptions defaults() {
    return DEFAULTS;
  }

  /** Begins with the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether connections that stay broken are made anew; true by default. */
  public boolean enabled() {
    return enabled;
  }

  /**
   * The shortest time from the closing of a connection to the next closing of its successor; 250 ms
   * by default. It doubles each time, up to {@link #maxPause()}. The first closing of a connection
   * waits for a random part of it, so that many instances do not connect in step.
   */
  public Duration minPause() {
    return minPause;
  }

  /**
   * The longest such time; 10 s by default. A smaller one than {@link #minPause()} counts as it.
   */
  public Duration maxPause() {
    return maxPause;
  }

  /** By which share each pause is shortened at random, 0 to 0.9; 0.5 by default. */
  public double jitter() {
    return jitter;
  }

  /**
   * How many connections are closed in a second at most; 20 by default. All clients of the JVM
   * share it: where they differ, each keeps its own distance from the closing before.
   */
  public int maxPerSecond() {
    return maxPerSecond;
  }

  /**
   * How long a node may answer nothing but LOADING, MASTERDOWN or CLUSTERDOWN on a connection
   * before that is made anew; 5 s by default.
   */
  public Duration refusedFor() {
    return refusedFor;
  }

  /** Is told of each connection that was closed; nobody by default. */
  public Consumer<HealedConnection> listener() {
    return listener;
  }

  /** Collects options; {@link #build()} checks them. */
  public static final class Builder {

    private boolean enabled = true;
    private Duration minPause = Duration.ofMillis(250);
    private Duration maxPause = Duration.ofSeconds(10);
    private double jitter = 0.5;
    private int maxPerSecond = 20;
    private Duration refusedFor = Duration.ofSeconds(5);
    private Consumer<HealedConnection> listener = healed -> {};

    private Builder() {}

    /** See {@link HealingOptions#enabled()}. */
    public Builder enabled(boolean enabled) {
      this.enabled = enabled;
      return this;
    }

    /** See {@link HealingOptions#minPause()}. */
    public Builder minPause(Duration minPause) {
      this.minPause = minPause;
      return this;
    }

    /** See {@link HealingOptions#maxPause()}. */
    public Builder maxPause(Duration maxPause) {
      this.maxPause = maxPause;
      return this;
    }

    /** See {@link HealingOptions#jitter()}. */
    public Builder jitter(double jitter) {
      this.jitter = jitter;
      return this;
    }

    /** See {@link HealingOptions#maxPerSecond()}. */
    public Builder maxPerSecond(int maxPerSecond) {
      this.maxPerSecond = maxPerSecond;
      return this;
    }

    /** See {@link HealingOptions#refusedFor()}. */
    public Builder refusedFor(Duration refusedFor) {
      this.refusedFor = refusedFor;
      return this;
    }

    /**
     * See {@link HealingOptions#listener()}. It is called on a thread of the client and must not
     * block; what it throws is logged and dropped.
     */
    public Builder listener(Consumer<HealedConnection> listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Makes the options.
     *
     * @throws IllegalArgumentException if one is out of its range; the message names it
     */
    @CheckReturnValue
    public HealingOptions build() {
      return new HealingOptions(this);
    }
  }
}
