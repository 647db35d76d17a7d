package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.common.SummedGauge;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The meters of all read-throughs of a client. Thread-safe. */
final class ReadThroughMeters {

  /** What a key's read ended with, as far as Redis is concerned. */
  enum Read {
    /** Redis held a value. */
    HIT,
    /** Redis held the mark that there is none. */
    ABSENT,
    /** Redis held nothing. */
    MISS,
    /** Redis failed, or was late. */
    FAILED,
    /** Redis was not asked, being DOWN or SLOW. */
    SKIPPED
  }

  /** Who loaded a key. */
  enum Load {
    /** The caller. */
    OWN,
    /** Another caller, for both. */
    SHARED,
    /** The caller, before the value expired. */
    EARLY,
    /** The caller, without telling others, because too many loads were under way. */
    UNSHARED
  }

  /** What became of a loaded value. */
  enum Write {
    WRITTEN,
    FAILED,
    /** Too many waited. */
    DROPPED,
    /** Redis is DOWN or SLOW. */
    SKIPPED
  }

  private static final String PENDING = "sheaf.readthrough.writes.pending";

  private final Map<Read, Counter> reads = new EnumMap<>(Read.class);
  private final Map<Load, Counter> loads = new EnumMap<>(Load.class);
  private final Map<Write, Counter> writes = new EnumMap<>(Write.class);
  private final LongAdder pendingWrites = new LongAdder();
  private final @Nullable MeterRegistry registry;
  private final Tags client;

  ReadThroughMeters(@Nullable MeterRegistry registry, String clientName) {
    this.registry = registry;
    this.client = Tags.of("client", clientName);
    if (registry == null) {
      return;
    }
    for (Read read : Read.values()) {
      reads.put(read, counter(registry, client, "reads", "Keys read, by what Redis gave", read));
    }
    for (Load load : Load.values()) {
      loads.put(load, counter(registry, client, "loads", "Keys loaded, by who loaded", load));
    }
    for (Write write : Write.values()) {
      writes.put(
          write, counter(registry, client, "writes", "Loaded values, by what became", write));
    }
    SummedGauge.add(
        registry,
        PENDING,
        "Loaded values on their way to Redis",
        null,
        client,
        pendingWrites,
        LongAdder::sum);
  }

  private static Counter counter(
      MeterRegistry registry, Tags client, String what, String description, Enum<?> outcome) {
    return Counter.builder("sheaf.readthrough." + what)
        .description(description)
        .tags(client.and("outcome", outcome.name().toLowerCase(Locale.ROOT)))
        .register(registry);
  }

  private static <E extends Enum<E>> void count(Map<E, Counter> counters, E value) {
    Counter count = counters.get(value);
    if (count != null) {
      count.increment();
    }
  }

  void read(Read read) {
    count(reads, read);
  }

  void load(Load load) {
    count(loads, load);
  }

  void write(Write write) {
    count(writes, write);
  }

  void pending(int change) {
    pendingWrites.add(change);
  }

  /** Nothing is on its way any more; what was counted stays. */
  void close() {
    if (registry != null) {
      SummedGauge.remove(registry, PENDING, client, pendingWrites);
    }
  }
}
