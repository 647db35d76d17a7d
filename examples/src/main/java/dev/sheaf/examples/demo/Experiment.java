package dev.sheaf.examples.demo;

import dev.sheaf.examples.demo.Target.Counts;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that many applications do, in several ways.
 *
 * @param expected the outcome every way must have, known from the data and not from a server
 * @param target the server whose counts are those of the work
 * @param ways the first is the naive one, with which the others are compared
 */
record Experiment(
    String name, String description, List<?> expected, Target target, List<Way> ways) {

  /** What the factor of a way says. */
  enum Meaning {
    /** How many times the naive way took this time. */
    TIMES_FASTER("x"),
    /** The share of answers that came late, 0 to 1. */
    LATE_SHARE(" % late"),
    /** How many times the naive way moved these bytes. */
    FEWER_BYTES("x fewer bytes");

    private final String unit;

    Meaning(String unit) {
      this.unit = unit;
    }
  }

  /**
   * One way to do the work.
   *
   * @param parts of how many equal parts of the work it does one, as all would take too long
   * @param late the share of late answers in the latest run, where that counts
   */
  record Way(
      String name,
      String description,
      int parts,
      Meaning meaning,
      Supplier<List<?>> work,
      @Nullable DoubleSupplier late) {

    Way(String name, String description, Supplier<List<?>> work) {
      this(name, description, 1, Meaning.TIMES_FASTER, work, null);
    }

    Way onePartIn(int many) {
      return new Way(name, description, many, meaning, work, late);
    }
  }

  /** What one way took: the median of so many runs, with the counts of that run. */
  record Measurement(
      String experiment,
      Way way,
      double millis,
      Counts counts,
      Meaning meaning,
      double factor,
      int runs) {

    String shownFactor() {
      return Text.significant(meaning == Meaning.LATE_SHARE ? 100 * factor : factor) + meaning.unit;
    }

    /** As the page shows it: the figures for its charts, and their words. */
    Map<String, Object> inWords() {
      return Map.ofEntries(
          Map.entry("experiment", experiment),
          Map.entry("way", way.name()),
          Map.entry("description", way.description()),
          Map.entry("millis", millis),
          Map.entry("time", Text.millis(millis)),
          Map.entry("roundTrips", Objects.requireNonNullElse(counts.roundTrips(), -1L)),
          Map.entry("commands", Text.count(counts.commands())),
          Map.entry("bytes", Objects.requireNonNullElse(counts.bytes(), -1L)),
          Map.entry("size", Text.bytes(counts.bytes())),
          Map.entry("factor", shownFactor()),
          Map.entry("runs", runs));
    }

    /** What counts, and is better if it is less. */
    double cost() {
      return switch (meaning) {
        case TIMES_FASTER -> millis;
        case LATE_SHARE -> factor;
        case FEWER_BYTES -> Objects.requireNonNullElse(counts.bytes(), 0L);
      };
    }

    String shown() {
      return switch (meaning) {
        case TIMES_FASTER -> Text.millis(millis);
        case LATE_SHARE -> shownFactor();
        case FEWER_BYTES -> Text.bytes(counts.bytes()) + ", " + Text.millis(millis);
      };
    }
  }
}
