// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.internal.common.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The dictionary meters of a client. Thread-safe. */
public final class DictionaryMeters {

  private final Counter written;
  private final Counter read;
  private final Map<Outcome, Counter> trainings = new EnumMap<>(Outcome.class);

  /**
   * Registers the meters.
   *
   * @param given null for no meters
   * @param client the client's name in its meters
   */
  public DictionaryMeters(@Nullable MeterRegistry given, String client) {
    MeterRegistry registry = Meters.in(given);
    Counter.Builder values =
        Counter.builder("sheaf.compression.dictionary.values")
            .description("Values that were compressed or restored with a dictionary")
            .tag("client", client);
    written = values.tag("direction", "written").register(registry);
    read = values.tag("direction", "read").register(registry);
    for (Outcome outcome : Outcome.values()) {
      trainings.put(
          outcome,
          Counter.builder("sheaf.compression.dictionary.trainings")
              .description("Trainings of dictionaries, by what became of them")
              .tag("client", client)
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .register(registry));
    }
  }

  /** The outcomes of a training. */
  enum Outcome {
    /** A new dictionary is used. */
    ADOPTED,
    /** An existing one is as good. */
    KEPT,
    /** None saves enough. */
    REJECTED,
    /** The training failed. */
    FAILED
  }

  public void written() {
    written.increment();
  }

  public void read() {
    read.increment();
  }

  void trained(Outcome outcome) {
    Objects.requireNonNull(trainings.get(outcome)).increment();
  }
}
