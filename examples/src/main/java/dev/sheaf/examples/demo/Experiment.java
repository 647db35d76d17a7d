// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Work that many applications do, in several ways, the first of which is the naive one.
 *
 * @param expected the outcome of every way, known from the data; of late answers only the number
 * @param counts what was counted so far
 */
record Experiment(
    String name,
    String description,
    Unit unit,
    List<?> expected,
    Supplier<Map<String, Long>> counts,
    List<Way> ways) {

  Experiment(
      String name, String about, Unit unit, List<?> expected, Supplier<Map<String, Long>> counts) {
    this(name, about, unit, expected, counts, new ArrayList<>());
  }

  /** What the factor says: how many times as much the naive way took, or the share of all. */
  enum Unit {
    TIMES,
    BYTES,
    LATE
  }

  /** One way to do the work, or one of so many equal parts of it, as all would take too long. */
  record Way(String name, String description, int parts, Supplier<? extends List<?>> work) {}

  Experiment way(String name, String description, Supplier<? extends List<?>> work) {
    return way(name, description, 1, work);
  }

  Experiment way(String name, String description, int parts, Supplier<? extends List<?>> work) {
    ways.add(new Way(name, description, parts, work));
    return this;
  }

  /** What one run of a way took, or the median of some; null is not known. */
  record Measurement(
      String experiment,
      String way,
      double millis,
      @Nullable Long roundTrips,
      @Nullable Long commands,
      @Nullable Long bytes,
      double factor) {

    Measurement with(double other) {
      return new Measurement(experiment, way, millis, roundTrips, commands, bytes, other);
    }

    /** Bytes where they count; else, or where nobody counts them, the time. */
    double cost(Unit unit) {
      return unit == Unit.BYTES && bytes != null ? bytes : millis;
    }
  }
}
