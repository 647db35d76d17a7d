// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The choice of spans that a client creates with the {@link io.lettuce.core.tracing.Tracing} of its
 * client resources. If tracing is disabled there, no spans are created.
 *
 * <p>Command latencies and command listeners are not affected; Lettuce has its own switches for
 * them. Immutable.
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

  /** One span for each command that the application calls, as with plain Lettuce. The default. */
  public static Observe commands() {
    return new Observe(Kind.COMMANDS, 1);
  }

  /** One span named {@code sheaf.batch} for each write to a node, and none for its commands. */
  public static Observe batches() {
    return new Observe(Kind.BATCHES, 1);
  }

  /**
   * A span for one in the given number of commands, chosen at random.
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
   * Parses the format of {@link #toString}: {@code commands}, {@code batches}, {@code sampled(100)}
   * or {@code off}.
   *
   * @throws IllegalArgumentException if the text has another format
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

  /** Whether commands have spans, all or some of them. */
  public boolean isOfCommands() {
    return kind == Kind.COMMANDS || kind == Kind.SAMPLED;
  }

  /** Whether batches have spans. */
  public boolean isOfBatches() {
    return kind == Kind.BATCHES;
  }

  /** One in this number of commands has a span. */
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
