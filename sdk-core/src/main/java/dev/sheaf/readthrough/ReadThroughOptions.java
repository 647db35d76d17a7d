// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import static dev.sheaf.internal.common.OptionChecks.positive;
import static dev.sheaf.internal.common.OptionChecks.upTo;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of a read-through. Immutable; {@link #defaults()} fits most caches.
 *
 * @param <V> the type of values
 */
public final class ReadThroughOptions<V> {

  private static final double MAX_TTL_JITTER = 0.5;

  private final Builder<V> given;

  private ReadThroughOptions(Builder<V> given) {
    this.given = given;
  }

  /** The default options. */
  public static <V> ReadThroughOptions<V> defaults() {
    return new Builder<V>().build();
  }

  /** Creates a builder with the default options. */
  public static <V> Builder<V> builder() {
    return new Builder<>();
  }

  /** How long to wait for Redis before the loader is called; 200 ms by default. */
  public Duration readTimeout() {
    return given.readTimeout;
  }

  /**
   * The share by which each TTL is lengthened or shortened at random, 0 to 0.5, so that values
   * written together do not expire together; 0.1 by default.
   */
  public double ttlJitter() {
    return given.ttlJitter;
  }

  /**
   * How long a caller waits for another caller's load; 10 s by default, longer than usual loads. An
   * older load is no longer shared: one caller loads the key again.
   */
  public Duration maxLoadWait() {
    return given.maxLoadWait;
  }

  /**
   * The marker in Redis for a key without a value; null, the default, to cache only values. It must
   * be a value that no loader returns.
   */
  public @Nullable V absent() {
    return given.absent;
  }

  /** The time to live of {@link #absent()}; one minute by default. */
  public Duration absentTtl() {
    return given.absentTtl;
  }

  /** A builder of options. {@link #build()} checks them. */
  public static final class Builder<V> {

    private Duration readTimeout = Duration.ofMillis(200);
    private double ttlJitter = 0.1;
    private Duration maxLoadWait = Duration.ofSeconds(10);
    private @Nullable V absent;
    private Duration absentTtl = Duration.ofMinutes(1);

    private Builder() {}

    private Builder(Builder<V> other) {
      readTimeout = positive("readTimeout", other.readTimeout);
      ttlJitter = upTo(MAX_TTL_JITTER, "ttlJitter", other.ttlJitter);
      maxLoadWait = positive("maxLoadWait", other.maxLoadWait);
      absent = other.absent;
      absentTtl = positive("absentTtl", other.absentTtl);
    }

    /** See {@link ReadThroughOptions#readTimeout()}. */
    public Builder<V> readTimeout(Duration readTimeout) {
      this.readTimeout = readTimeout;
      return this;
    }

    /** See {@link ReadThroughOptions#ttlJitter()}. */
    public Builder<V> ttlJitter(double ttlJitter) {
      this.ttlJitter = ttlJitter;
      return this;
    }

    /** See {@link ReadThroughOptions#maxLoadWait()}. */
    public Builder<V> maxLoadWait(Duration maxLoadWait) {
      this.maxLoadWait = maxLoadWait;
      return this;
    }

    /** See {@link ReadThroughOptions#absent()}. */
    public Builder<V> absent(V absent) {
      this.absent = Objects.requireNonNull(absent, "absent");
      return this;
    }

    /** See {@link ReadThroughOptions#absentTtl()}. */
    public Builder<V> absentTtl(Duration absentTtl) {
      this.absentTtl = absentTtl;
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if an option is out of its range; the message names it
     */
    @CheckReturnValue
    public ReadThroughOptions<V> build() {
      return new ReadThroughOptions<>(new Builder<>(this));
    }
  }
}
