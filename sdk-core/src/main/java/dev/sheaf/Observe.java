// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which spans a client begins with the {@link io.lettuce.core.tracing.Tracing} of its client
 * resources. Without one, or with one that is disabled, there are no spans, whatever is chosen
 * here.
 *
 * <p>Command latencies and command listeners are no spans, and follow the switches that Lettuce has
 * for them. Immutable.
 */
public final class Observe {

  private enum Kind {
    COMMANDS,
    BATCHES,
    SAMPLED,
    OFF
  }

  private static final Pattern SAMPLED = Pattern.compile("sampled\\((\\d{1,9})\\)");

  private final Kind kind;
  private final int oneOf;

  private Observe(Kind kind, int oneOf) {
    this.kind = kind;
    this.oneOf = oneOf;
  }

  /** A span for each command that the application calls, as with plain Lettuce. The default. */
  public static Observe commands() {
    return new Observe(Kind.COMMANDS, 1);
  }

  /** A span named {@code sheaf.batch} for each write to a node, and none for its commands. */
  public static Observe batches() {
    return new Observe(Kind.BATCHES, 1);
  }

  /**
   * A span for one of so many commands, chosen at random.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public static Observe sampled(int oneOf) {
    if (oneOf < 1) {
      throw new IllegalArgumentException("sampled(n) needs an n of at least 1, but was " + oneOf);
    }
    return new Observe(Kind.SAMPLED, oneOf);
  }

  /** No spans. */
  public static Observe off() {
    return new Observe(Kind.OFF, 1);
  }

  /**
   * Reads what {@link #toString} writes: {@code commands}, {@code batches}, {@code sampled(100)} or
   * {@code off}.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  public static Observe parse(String text) {
    Matcher sampled = SAMPLED.matcher(text);
    if (sampled.matches()) {
      return sampled(Integer.parseInt(sampled.group(1)));
    }
    return switch (text) {
      case "commands" -> commands();
      case "batches" -> batches();
      case "off" -> off();
      default ->
          throw new IllegalArgumentException(
              "observe must be commands, batches, sampled(n) or off, but was " + text);
    };
  }

  /** Whether commands have spans, all of them or some. */
  public boolean isOfCommands() {
    return kind == Kind.COMMANDS || kind == Kind.SAMPLED;
  }

  /** Whether batches have spans. */
  public boolean isOfBatches() {
    return kind == Kind.BATCHES;
  }

  /** Of how many commands one has a span. */
  public int oneOf() {
    return oneOf;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Observe that && kind == that.kind && oneOf == that.oneOf;
  }

  @Override
  public int hashCode() {
    return Objects.hash(kind, oneOf);
  }

  @Override
  public String toString() {
    return switch (kind) {
      case COMMANDS -> "commands";
      case BATCHES -> "batches";
      case SAMPLED -> "sampled(" + oneOf + ")";
      case OFF -> "off";
    };
  }
}
