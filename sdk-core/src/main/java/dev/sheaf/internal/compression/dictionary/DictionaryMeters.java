package dev.sheaf.internal.compression.dictionary;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

/** What a client reports about dictionaries. Without a registry it does nothing. Thread-safe. */
public final class DictionaryMeters {

  private final @Nullable MeterRegistry registry;
  private final String client;
  private final @Nullable Counter written;
  private final @Nullable Counter read;

  public DictionaryMeters(@Nullable MeterRegistry registry, String client) {
    this.registry = registry;
    this.client = client;
    this.written = values("written");
    this.read = values("read");
  }

  private @Nullable Counter values(String direction) {
    return registry == null
        ? null
        : Counter.builder("sheaf.compression.dictionary.values")
            .description("Values that were compressed or restored with a dictionary")
            .tag("client", client)
            .tag("direction", direction)
            .register(registry);
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

  void trained(String outcome) {
    if (registry != null) {
      Counter.builder("sheaf.compression.dictionary.trainings")
          .description("Trainings of dictionaries, by what became of them")
          .tag("client", client)
          .tag("outcome", outcome)
          .register(registry)
          .increment();
    }
  }
}
