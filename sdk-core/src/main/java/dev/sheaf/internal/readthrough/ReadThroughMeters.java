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

  /** What is counted, each under {@code sheaf.readthrough.<what>} with an outcome. */
  enum Outcome {
    /** Redis held a value. */
    READ_HIT("reads"),
    /** Redis held the mark that there is none. */
    READ_ABSENT("reads"),
    /** Redis held nothing. */
    READ_MISS("reads"),
    /** Redis failed, or was late. */
    READ_FAILED("reads"),
    /** Redis was not asked, being DOWN or SLOW. */
    READ_SKIPPED("reads"),
    /** The caller loaded. */
    LOAD_OWN("loads"),
    /** Another caller loaded, for both. */
    LOAD_SHARED("loads"),
    /** The caller loaded without telling others, because too many loads were under way. */
    LOAD_UNSHARED("loads"),
    WRITE_WRITTEN("writes"),
    WRITE_FAILED("writes"),
    /** Too many waited. */
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
