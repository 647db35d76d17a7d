// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static dev.sheaf.internal.common.OptionChecks.atLeast;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The options of healing: when connections that do not recover are closed and opened again.
 * Immutable; {@link #defaults()} fits most clients.
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

  /** The default options. */
  public static HealingOptions defaults() {
    return DEFAULTS;
  }

  /** Creates a builder with the default options. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether connections that do not recover are closed and opened again; true by default. */
  public boolean enabled() {
    return enabled;
  }

  /**
   * How long a node may answer only LOADING, MASTERDOWN or CLUSTERDOWN on a connection before it is
   * closed; 5 s by default.
   */
  public Duration refusedFor() {
    return refusedFor;
  }

  /** The listener to closed connections; none by default. */
  public Consumer<HealedConnection> listener() {
    return listener;
  }

  /** A builder of options. {@link #build()} checks them. */
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
     * block; its exceptions are logged and ignored.
     */
    public Builder listener(Consumer<HealedConnection> listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if an option is out of its range; the message names it
     */
    @CheckReturnValue
    public HealingOptions build() {
      return new HealingOptions(this);
    }
  }
}
