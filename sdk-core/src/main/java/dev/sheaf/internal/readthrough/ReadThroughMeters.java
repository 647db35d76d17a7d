// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The meters of all read-throughs of a client. Thread-safe. */
final class ReadThroughMeters {

  /** The counters, each as {@code sheaf.readthrough.<name>} with an outcome. */
  enum Outcome {
    /** Redis had a value. */
    READ_HIT("reads"),
    /** Redis had the marker for no value. */
    READ_ABSENT("reads"),
    /** Redis had nothing. */
    READ_MISS("reads"),
    /** Redis failed, or was late. */
    READ_FAILED("reads"),
    /** Redis was not asked, because it is DOWN or SLOW. */
    READ_SKIPPED("reads"),
    /** The caller loaded. */
    LOAD_OWN("loads"),
    /** Another caller loaded, for both. */
    LOAD_SHARED("loads"),
    /** The caller loaded without sharing, because too many loads were active. */
    LOAD_UNSHARED("loads"),
    WRITE_WRITTEN("writes"),
    WRITE_FAILED("writes"),
    /** Too many writes were waiting. */
    WRITE_DROPPED("writes"),
    /** Redis is DOWN or SLOW. */
    WRITE_SKIPPED("writes");

    private final String what;

    Outcome(String what) {
      this.what = what;
    }

    private String tag() {
      return name().substring(name().indexOf('_') + 1).toLowerCase(Locale.ROOT);
    }
  }

  private static final Map<String, String> DESCRIPTIONS =
      Map.of(
          "reads", "Keys read, by what Redis gave",
          "loads", "Keys loaded, by who loaded",
          "writes", "Loaded values, by what became");

  private final Map<Outcome, Counter> counters = new EnumMap<>(Outcome.class);

  ReadThroughMeters(@Nullable MeterRegistry registry, String clientName) {
    if (registry == null) {
      return;
    }
    for (Outcome outcome : Outcome.values()) {
      counters.put(
          outcome,
          Counter.builder("sheaf.readthrough." + outcome.what)
              .description(DESCRIPTIONS.get(outcome.what))
              .tags(Tags.of("client", clientName, "outcome", outcome.tag()))
              .register(registry));
    }
  }

  void count(Outcome outcome) {
    Counter counter = counters.get(outcome);
    if (counter != null) {
      counter.increment();
    }
  }
}
