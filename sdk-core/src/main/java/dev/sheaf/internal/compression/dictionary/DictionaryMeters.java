// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a client reports about dictionaries. Without a registry it does nothing. Thread-safe. */
public final class DictionaryMeters {

  private final @Nullable Counter written;
  private final @Nullable Counter read;
  private final Map<Outcome, Counter> trainings = new EnumMap<>(Outcome.class);

  /**
   * Registers what is counted.
   *
   * @param registry null for nowhere
   * @param client the client's name in its meters
   */
  public DictionaryMeters(@Nullable MeterRegistry registry, String client) {
    if (registry == null) {
      written = null;
      read = null;
      return;
    }
    written = values(registry, client, "written");
    read = values(registry, client, "read");
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

  private static Counter values(MeterRegistry registry, String client, String direction) {
    return Counter.builder("sheaf.compression.dictionary.values")
        .description("Values that were compressed or restored with a dictionary")
        .tag("client", client)
        .tag("direction", direction)
        .register(registry);
  }

  /** What became of a training. */
  enum Outcome {
    /** A new dictionary is used. */
    ADOPTED,
    /** One that was there is as good. */
    KEPT,
    /** None saves enough. */
    REJECTED,
    /** There was an error. */
    FAILED
  }

  public void written() {
    if (written != null) {
      written.increment();
    }
  }

  public void read() {
    if (read != null) {
      read.increment();
    }
  }

  void trained(Outcome outcome) {
    Counter counter = trainings.get(outcome);
    if (counter != null) {
      counter.increment();
    }
  }
}
