package dev.sheaf;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters of the availability guard; without a registry they measure nothing. Thread-safe. */
final class AvailabilityMeters {

  /** Where the answer to a caller came from. */
  enum Source {
    /** The caller waited for a PING. */
    PING,
    /** A reply to some command on the user's connection. */
    TRAFFIC,
    /** An earlier PING, or the state that it led to. */
    CACHED
  }

  /** How a PING ended. */
  enum Outcome {
    OK,
    SLOW,
    TIMEOUT,
    ERROR,
    DISCONNECTED
  }

  private final @Nullable MeterRegistry registry;
  private final List<Meter> meters = new ArrayList<>();
  private final Map<Source, LongAdder> answers = new EnumMap<>(Source.class);
  private final Map<Outcome, Timer> pings = new EnumMap<>(Outcome.class);
  private @Nullable DistributionSummary joiners;

  AvailabilityMeters(@Nullable MeterRegistry registry) {
    this.registry = registry;
    for (Source source : Source.values()) {
      answers.put(source, new LongAdder());
    }
    if (registry != null) {
      register(registry);
    }
  }

  private void register(MeterRegistry registry) {
    answers.forEach(
        (source, count) ->
            meters.add(
                FunctionCounter.builder("sheaf.availability.answers", count, LongAdder::sum)
                    .description("Answers to isAvailable(), by where they came from")
                    .tag("source", name(source))
                    .register(registry)));
    for (Outcome outcome : Outcome.values()) {
      Timer timer =
          Timer.builder("sheaf.availability.ping")
              .description("PINGs sent, by outcome, with the time to it")
              .tag("outcome", name(outcome))
              .register(registry);
      pings.put(outcome, timer);
      meters.add(timer);
    }
    DistributionSummary summary =
        DistributionSummary.builder("sheaf.availability.ping.callers")
            .description("Callers that shared one PING")
            .register(registry);
    joiners = summary;
    meters.add(summary);
  }

  /** Shows how many nodes are in each state. */
  <T> void nodes(T guard, AvailabilityState state, ToDoubleFunction<T> count) {
    if (registry != null) {
      meters.add(
          Gauge.builder("sheaf.availability.nodes", guard, count)
              .description("Primaries by state")
              .tag("state", name(state))
              .register(registry));
    }
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Where to count an answer, or null if nobody counts. */
  @Nullable LongAdder answers(Source source) {
    return registry == null ? null : answers.get(source);
  }

  void answered(Source source) {
    LongAdder count = answers(source);
    if (count != null) {
      count.increment();
    }
  }

  void pinged(Outcome outcome, long nanos) {
    Timer timer = pings.get(outcome);
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  void shared(int callers) {
    DistributionSummary summary = joiners;
    if (summary != null && callers > 0) {
      summary.record(callers);
    }
  }

  void close() {
    if (registry != null) {
      meters.forEach(registry::remove);
      meters.clear();
    }
  }
}
