// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static dev.sheaf.internal.common.OptionChecks.atLeast;
import static dev.sheaf.internal.common.OptionChecks.positive;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The options of the availability guard. Immutable; {@link #defaults()} fits most clients. */
public final class AvailabilityOptions {

  private static final AvailabilityOptions DEFAULTS = builder().build();

  private final Duration timeout;
  private final Duration maxAge;
  private final Duration downAfter;
  private final Duration interval;
  private final boolean failFastWhileDown;

  private AvailabilityOptions(Builder given) {
    timeout = time("timeout", given.timeout);
    maxAge = atLeast(Duration.ZERO, "maxAge", given.maxAge);
    Duration down = given.downAfter;
    downAfter = time("downAfter", down == null ? timeout.plus(timeout.dividedBy(4)) : down);
    if (downAfter.compareTo(timeout) < 0) {
      throw new IllegalArgumentException(
          "downAfter must be at least timeout, which is "
              + timeout
              + ", but was "
              + downAfter
              + "; lower timeout or raise downAfter");
    }
    interval = time("interval", given.interval);
    failFastWhileDown = given.failFastWhileDown;
  }

  private static Duration time(String name, Duration value) {
    return atLeast(Duration.ZERO, name, positive(name, value));
  }

  /** The default options. */
  public static AvailabilityOptions defaults() {
    return DEFAULTS;
  }

  /** Creates a builder with the default options. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * How long a caller waits for an answer, and from when an answer is slow; 200 ms by default.
   * Beyond that, reading from the data source is usually faster.
   */
  public Duration timeout() {
    return timeout;
  }

  /**
   * The greatest age of a reply that {@code isAvailable()} accepts; 1 s by default, zero for none.
   */
  public Duration maxAge() {
    return maxAge;
  }

  /**
   * How long a PING may be unanswered before its node is DOWN, at least the time-out; five quarters
   * of it by default. In between callers get the answer no, but the node keeps its state, as a
   * single slow answer is no outage.
   */
  public Duration downAfter() {
    return downAfter;
  }

  /**
   * The longest time between two PINGs to a node without other replies, and between two attempts to
   * connect to a lost one; 900 ms by default, so that an idle client always has an answer within
   * the default {@code maxAge}.
   */
  public Duration interval() {
    return interval;
  }

  /**
   * Whether commands to a node that is DOWN fail at once with {@link UnavailableException} and the
   * reason, like with a circuit breaker, and do not wait for their time-out; false by default.
   * Commands called before that keep waiting.
   */
  public boolean failFastWhileDown() {
    return failFastWhileDown;
  }

  /** A builder of options. {@link #build()} checks them. */
  public static final class Builder {

    private Duration timeout = Duration.ofMillis(200);
    private Duration maxAge = Duration.ofSeconds(1);
    private @Nullable Duration downAfter;
    private Duration interval = Duration.ofMillis(900);
    private boolean failFastWhileDown;

    private Builder() {}

    /** See {@link AvailabilityOptions#timeout()}. {@link #downAfter} follows it unless set. */
    public Builder timeout(Duration timeout) {
      this.timeout = timeout;
      return this;
    }

    /** See {@link AvailabilityOptions#maxAge()}. */
    public Builder maxAge(Duration maxAge) {
      this.maxAge = maxAge;
      return this;
    }

    /** See {@link AvailabilityOptions#downAfter()}. */
    public Builder downAfter(Duration downAfter) {
      this.downAfter = downAfter;
      return this;
    }

    /** See {@link AvailabilityOptions#interval()}. */
    public Builder interval(Duration interval) {
      this.interval = interval;
      return this;
    }

    /** See {@link AvailabilityOptions#failFastWhileDown()}. */
    public Builder failFastWhileDown(boolean failFastWhileDown) {
      this.failFastWhileDown = failFastWhileDown;
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if an option is out of its range; the message names it
     */
    @CheckReturnValue
    public AvailabilityOptions build() {
      return new AvailabilityOptions(this);
    }
  }
}
