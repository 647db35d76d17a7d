// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.internal.common.SummedGauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;

/** The meters of the availability guard; without a registry they record nothing. Thread-safe. */
final class AvailabilityMeters {

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
  private final Map<Outcome, Timer> pings = new EnumMap<>(Outcome.class);

  AvailabilityMeters(@Nullable MeterRegistry registry, String clientName) {
    this.registry = registry;
    this.client = Tags.of("client", clientName);
    if (registry != null) {
      for (Outcome outcome : Outcome.values()) {
        pings.put(
            outcome,
            Timer.builder("sheaf.availability.ping")
                .description("PINGs sent, by outcome, with the time to it")
                .tags(client.and("outcome", name(outcome)))
                .register(registry));
      }
    }
  }

  /** Registers gauges of the number of nodes in each state. */
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

  void pinged(Outcome outcome, long nanos) {
    Timer timer = pings.get(outcome);
    if (timer != null) {
      timer.record(nanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Removes the gauges of a guard. Timers keep their counts. */
  void close(Object guard) {
    if (registry != null) {
      for (AvailabilityState state : AvailabilityState.values()) {
        SummedGauge.remove(registry, NODES, tags(state), guard);
      }
    }
  }
}
