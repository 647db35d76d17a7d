// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.internal.common.SummedGauge;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntBiFunction;
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

  private static final String NODES = "sheaf.availability.nodes";

  private final @Nullable MeterRegistry registry;
  private final Tags client;
  private final Map<Source, Counter> answers = new EnumMap<>(Source.class);
  private final Map<Outcome, Timer> pings = new EnumMap<>(Outcome.class);
  private @Nullable DistributionSummary callers;

  AvailabilityMeters(@Nullable MeterRegistry registry, String clientName) {
    this.registry = registry;
    this.client = Tags.of("client", clientName);
    if (registry != null) {
      register(registry);
    }
  }

  private void register(MeterRegistry registry) {
    for (Source source : Source.values()) {
      answers.put(
          source,
          Counter.builder("sheaf.availability.answers")
              .description("Answers to isAvailable(), by where they came from")
              .tags(client.and("source", name(source)))
              .register(registry));
    }
    for (Outcome outcome : Outcome.values()) {
      pings.put(
          outcome,
          Timer.builder("sheaf.availability.ping")
              .description("PINGs sent, by outcome, with the time to it")
              .tags(client.and("outcome", name(outcome)))
              .register(registry));
    }
    callers =
        DistributionSummary.builder("sheaf.availability.ping.callers")
            .description("Callers that shared one PING")
            .tags(client)
            .register(registry);
  }

  /** Shows how many nodes a guard has in each state. */
  <T> void nodes(T guard, ToIntBiFunction<T, AvailabilityState> count) {
    if (registry != null) {
      for (AvailabilityState state : AvailabilityState.values()) {
        SummedGauge.add(
            registry,
            NODES,
            "Primaries by state",
            null,
            tags(state),
            guard,
            watched -> count.applyAsInt(watched, state));
      }
    }
  }

  private Tags tags(AvailabilityState state) {
    return client.and("state", name(state));
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Where to count an answer, or null if nobody counts. */
  @Nullable Counter answers(Source source) {
    return answers.get(source);
  }

  void answered(Source source) {
    Counter count = answers(source);
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
    DistributionSummary summary = this.callers;
    if (summary != null && callers > 0) {
      summary.record(callers);
    }
  }

  /** Nodes that nobody watches are in no state; what was counted stays. */
  void close(Object guard) {
    if (registry != null) {
      for (AvailabilityState state : AvailabilityState.values()) {
        SummedGauge.remove(registry, NODES, tags(state), guard);
      }
    }
  }
}
