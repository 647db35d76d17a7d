package dev.sheaf;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
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

  private final Map<Read, LongAdder> reads = counters(Read.class);
  private final Map<Load, LongAdder> loads = counters(Load.class);
  private final Map<Write, LongAdder> writes = counters(Write.class);
  private final LongAdder pendingWrites = new LongAdder();
  private final @Nullable MeterRegistry registry;
  private final List<Meter> meters = new ArrayList<>();

  ReadThroughMeters(@Nullable MeterRegistry registry) {
    this.registry = registry;
    if (registry != null) {
      register(registry, "sheaf.readthrough.reads", "Keys read, by what Redis gave", reads);
      register(registry, "sheaf.readthrough.loads", "Keys loaded, by who loaded", loads);
      register(registry, "sheaf.readthrough.writes", "Loaded values, by what became", writes);
      meters.add(
          Gauge.builder("sheaf.readthrough.writes.pending", pendingWrites, LongAdder::sum)
              .description("Loaded values on their way to Redis")
              .register(registry));
    }
  }

  private static <E extends Enum<E>> Map<E, LongAdder> counters(Class<E> type) {
    Map<E, LongAdder> counters = new EnumMap<>(type);
    for (E value : type.getEnumConstants()) {
      counters.put(value, new LongAdder());
    }
    return counters;
  }

  private <E extends Enum<E>> void register(
      MeterRegistry registry, String name, String description, Map<E, LongAdder> counters) {
    counters.forEach(
        (value, count) ->
            meters.add(
                FunctionCounter.builder(name, count, LongAdder::sum)
                    .description(description)
                    .tag("outcome", value.name().toLowerCase(Locale.ROOT))
                    .register(registry)));
  }

  private static <E extends Enum<E>> void count(Map<E, LongAdder> counters, E value) {
    LongAdder count = counters.get(value);
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

  void close() {
    if (registry != null) {
      meters.forEach(registry::remove);
      meters.clear();
    }
  }
}
