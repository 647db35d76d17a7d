package dev.sheaf.availability;

import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * How the availability guard asks and judges. Immutable; {@link #defaults()} fits most clients, the
 * {@code with} methods change one thing.
 *
 * @param timeout how long a caller waits for an answer, and from when on an answer is slow; 200 ms
 *     by default, past which reading from the source of the data is usually quicker
 * @param maxAge how old a sign of life {@code isAvailable()} accepts; 1 s by default. Zero: none
 * @param refreshAfter how old the latest sign of life may be before a call of {@code isAvailable()}
 *     makes the guard send a PING behind the caller's back; half the time-out by default, so that
 *     an outage is noticed within twice the time-out
 * @param downAfter how long a PING may stay unanswered before its node is DOWN, at least the
 *     time-out; five quarters of it by default. In between callers are told no, but the node stays
 *     in its state: a single slow answer is no outage
 * @param interval the longest time between two PINGs to a node that nothing else is heard of, and
 *     between two attempts to find a lost one again; 900 ms by default, so that an idle client
 *     always has an answer within the default {@code maxAge}
 * @param jitter by which share of the interval each pause is shortened at random, 0 to 0.9, so that
 *     instances do not ping in step; 0.4 by default
 * @param slowAnswers how many slow answers in a row make a node SLOW, at least 1; 2 by default
 * @param goodAnswers how many good answers in a row make a node UP again, at least 1; 1 by default
 * @param minPingSpacing the shortest time between two PINGs to one node; 20 ms by default, so that
 *     a client sends no more than 50 a second however many ask. Zero: none
 */
public record AvailabilityOptions(
    Duration timeout,
    Duration maxAge,
    Duration refreshAfter,
    Duration downAfter,
    Duration interval,
    double jitter,
    int slowAnswers,
    int goodAnswers,
    Duration minPingSpacing) {

  private static final Duration LONGEST = Duration.ofDays(1);
  private static final double MAX_JITTER = 0.9;

  private static final AvailabilityOptions DEFAULTS =
      new AvailabilityOptions(
          Duration.ofMillis(200),
          Duration.ofSeconds(1),
          Duration.ofMillis(100),
          Duration.ofMillis(250),
          Duration.ofMillis(900),
          0.4,
          2,
          1,
          Duration.ofMillis(20));

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if one is out of its range; the message names it
   */
  public AvailabilityOptions {
    requirePositive("timeout", timeout);
    requireNotNegative("maxAge", maxAge);
    requirePositive("refreshAfter", refreshAfter);
    requirePositive("downAfter", downAfter);
    requirePositive("interval", interval);
    requireNotNegative("minPingSpacing", minPingSpacing);
    if (downAfter.compareTo(timeout) < 0) {
      throw new IllegalArgumentException(
          "downAfter must be at least timeout, which is "
              + timeout
              + ", but was "
              + downAfter
              + "; lower timeout or raise downAfter");
    }
    if (!(jitter >= 0 && jitter <= MAX_JITTER)) {
      throw new IllegalArgumentException(
          "jitter must be a share from 0 to " + MAX_JITTER + ", but was " + jitter);
    }
    requireAtLeastOne("slowAnswers", slowAnswers);
    requireAtLeastOne("goodAnswers", goodAnswers);
  }

  private static void requirePositive(String name, Duration value) {
    requireNotNegative(name, value);
    if (value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive, but was " + value);
    }
  }

  private static void requireNotNegative(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          name + " must be from 0 to " + LONGEST + ", but was " + value);
    }
  }

  private static void requireAtLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be at least 1, but was " + value);
    }
  }

  /** The defaults named above. */
  public static AvailabilityOptions defaults() {
    return DEFAULTS;
  }

  /**
   * These options with another time-out, and with {@link #refreshAfter()} and {@link #downAfter()}
   * in their default proportion to it.
   */
  public AvailabilityOptions withTimeout(Duration timeout) {
    return with(
        copy -> {
          copy.timeout = timeout;
          copy.refreshAfter = timeout.dividedBy(2);
          copy.downAfter = timeout.plus(timeout.dividedBy(4));
        });
  }

  /** These options with another {@link #maxAge()}. */
  public AvailabilityOptions withMaxAge(Duration maxAge) {
    return with(copy -> copy.maxAge = maxAge);
  }

  /** These options with another {@link #refreshAfter()}. */
  public AvailabilityOptions withRefreshAfter(Duration refreshAfter) {
    return with(copy -> copy.refreshAfter = refreshAfter);
  }

  /** These options with another {@link #downAfter()}. */
  public AvailabilityOptions withDownAfter(Duration downAfter) {
    return with(copy -> copy.downAfter = downAfter);
  }

  /** These options with another {@link #interval()} and {@link #jitter()}. */
  public AvailabilityOptions withInterval(Duration interval, double jitter) {
    return with(
        copy -> {
          copy.interval = interval;
          copy.jitter = jitter;
        });
  }

  /** These options with another {@link #slowAnswers()} and {@link #goodAnswers()}. */
  public AvailabilityOptions withHysteresis(int slowAnswers, int goodAnswers) {
    return with(
        copy -> {
          copy.slowAnswers = slowAnswers;
          copy.goodAnswers = goodAnswers;
        });
  }

  /** These options with another {@link #minPingSpacing()}. */
  public AvailabilityOptions withMinPingSpacing(Duration minPingSpacing) {
    return with(copy -> copy.minPingSpacing = minPingSpacing);
  }

  private AvailabilityOptions with(Consumer<Copy> change) {
    Copy copy = new Copy(this);
    change.accept(copy);
    return copy.options();
  }

  /** All options, to change some of them. */
  private static final class Copy {
    Duration timeout;
    Duration maxAge;
    Duration refreshAfter;
    Duration downAfter;
    Duration interval;
    double jitter;
    int slowAnswers;
    int goodAnswers;
    Duration minPingSpacing;

    Copy(AvailabilityOptions options) {
      timeout = options.timeout();
      maxAge = options.maxAge();
      refreshAfter = options.refreshAfter();
      downAfter = options.downAfter();
      interval = options.interval();
      jitter = options.jitter();
      slowAnswers = options.slowAnswers();
      goodAnswers = options.goodAnswers();
      minPingSpacing = options.minPingSpacing();
    }

    AvailabilityOptions options() {
      return new AvailabilityOptions(
          timeout,
          maxAge,
          refreshAfter,
          downAfter,
          interval,
          jitter,
          slowAnswers,
          goodAnswers,
          minPingSpacing);
    }
  }
}
