// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static dev.sheaf.internal.common.OptionChecks.atLeast;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The options of healing: when a connection that stays broken is closed and made anew. Immutable;
 * {@link #defaults()} fits most clients.
 */
public final class HealingOptions {

  private static final Duration SHORTEST = Duration.ofMillis(1);
  private static final HealingOptions DEFAULTS = builder().build();

  private final boolean enabled;
  private final Duration refusedFor;
  private final Consumer<HealedConnection> listener;

  private HealingOptions(Builder given) {
    enabled = given.enabled;
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
    private Duration refusedFor = Duration.ofSeconds(5);
    private Consumer<HealedConnection> listener = healed -> {};

    private Builder() {}

    /** See {@link HealingOptions#enabled()}. */
    public Builder enabled(boolean enabled) {
      this.enabled = enabled;
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
    public HealingOptions build() {
      return new HealingOptions(this);
    }
  }
}
