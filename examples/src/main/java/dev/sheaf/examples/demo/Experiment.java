// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A common task in several alternatives, the first of which is the naive one.
 *
 * @param expected the result of every alternative, known from the data; of late answers only the
 *     number
 * @param counts reads the counters so far
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

  /** The meaning of the factor: naive time over this time, or the share of all. */
  enum Unit {
    TIMES,
    BYTES,
    LATE
  }

  /**
   * One alternative of the task, or one of several equal parts of it, if all would take too long.
   */
  record Way(String name, String description, int parts, Supplier<? extends List<?>> work) {}

  Experiment way(String name, String description, Supplier<? extends List<?>> work) {
    return way(name, description, 1, work);
  }

  Experiment way(String name, String description, int parts, Supplier<? extends List<?>> work) {
    ways.add(new Way(name, description, parts, work));
    return this;
  }

  /** The measurements of one run, or the median of some; null if unknown. */
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

    /** Compares bytes if they count, otherwise, or if unknown, the time. */
    double cost(Unit unit) {
      return unit == Unit.BYTES && bytes != null ? bytes : millis;
    }
  }
}
