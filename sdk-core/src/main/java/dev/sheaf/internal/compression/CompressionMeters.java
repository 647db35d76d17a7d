// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.UnreadableValueException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a client reports about compression. Besides the client's name, tags have few values, or
 * those of its policies, so the number of meters does not grow with keys or commands.
 *
 * <p>Thread-safe. Without a registry it does nothing, and does not look at the clock.
 */
final class CompressionMeters {

  /** Further prefixes are counted in the total alone: 100, since each has two meters. */
  static final int MAX_PREFIXES = 100;

  private final @Nullable Registered meters;

  private CompressionMeters(@Nullable Registered meters) {
    this.meters = meters;
  }

  static CompressionMeters none() {
    return new CompressionMeters(null);
  }

  static CompressionMeters of(@Nullable MeterRegistry registry, String client) {
    return new CompressionMeters(
        registry == null ? null : new Registered(registry, Tags.of("client", client)));
  }

  long startNanos() {
    return meters == null ? 0 : System.nanoTime();
  }

  void compressed(CompressionPolicy policy, int originalBytes, int storedBytes, long startNanos) {
    Registered registered = meters;
    if (registered != null) {
      registered.writtenOriginal.increment(originalBytes);
      registered.writtenStored.increment(storedBytes);
      registered.compressedUnder(policy.prefix(), originalBytes, storedBytes);
      registered.compressTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }
  }

  void skippedNoGain(long startNanos) {
    Registered registered = meters;
    if (registered != null) {
      registered.noGain.increment();
      registered.compressTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }
  }

  void skippedSmall() {
    if (meters != null) {
      meters.small.increment();
    }
  }

  void skippedNumber() {
    if (meters != null) {
      meters.number.increment();
    }
  }

  void skippedLearned() {
    if (meters != null) {
      meters.learned.increment();
    }
  }

  void refused() {
    if (meters != null) {
      meters.refused.increment();
    }
  }

  void decompressed(int originalBytes, int storedBytes, long startNanos) {
    Registered registered = meters;
    if (registered != null) {
      registered.readOriginal.increment(originalBytes);
      registered.readStored.increment(storedBytes);
      registered.decompressTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
    }
  }

  void unreadable(UnreadableValueException.Reason reason) {
    Registered registered = meters;
    if (registered != null) {
      Counter counter = registered.unreadable.get(reason);
      if (counter != null) {
        counter.increment();
      }
    }
  }

  /** What was written under one policy. */
  private record ByPrefix(Counter original, Counter stored) {}

  private static final class Registered {

    private final MeterRegistry registry;
    private final Tags tags;
    private final Map<String, ByPrefix> byPrefix = new ConcurrentHashMap<>();
    private final Counter writtenOriginal;
    private final Counter writtenStored;
    private final Counter readOriginal;
    private final Counter readStored;
    private final Timer compressTime;
    private final Timer decompressTime;
    private final Counter small;
    private final Counter number;
    private final Counter noGain;
    private final Counter learned;
    private final Counter refused;
    private final Map<UnreadableValueException.Reason, Counter> unreadable =
        new EnumMap<>(UnreadableValueException.Reason.class);

    Registered(MeterRegistry registry, Tags tags) {
      this.registry = registry;
      this.tags = tags;
      writtenOriginal = bytes(registry, tags, "written", "original");
      writtenStored = bytes(registry, tags, "written", "stored");
      readOriginal = bytes(registry, tags, "read", "original");
      readStored = bytes(registry, tags, "read", "stored");
      compressTime = time(registry, tags, "compress");
      decompressTime = time(registry, tags, "decompress");
      small = skipped(registry, tags, "small");
      number = skipped(registry, tags, "number");
      noGain = skipped(registry, tags, "no-gain");
      learned = skipped(registry, tags, "learned");
      refused =
          Counter.builder("sheaf.compression.refused")
              .description("Commands refused because they work on stored bytes")
              .tags(tags)
              .register(registry);
      for (UnreadableValueException.Reason reason : UnreadableValueException.Reason.values()) {
        unreadable.put(
            reason,
            Counter.builder("sheaf.compression.unreadable")
                .description("Stored values that could not be read")
                .tags(tags)
                .tag("reason", reason.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                .register(registry));
      }
    }

    void compressedUnder(String prefix, int originalBytes, int storedBytes) {
      ByPrefix counters = byPrefix.get(prefix);
      if (counters == null && byPrefix.size() < MAX_PREFIXES) {
        counters =
            byPrefix.computeIfAbsent(
                prefix, key -> new ByPrefix(written(key, "original"), written(key, "stored")));
      }
      if (counters != null) {
        counters.original().increment(originalBytes);
        counters.stored().increment(storedBytes);
      }
    }

    private Counter written(String prefix, String form) {
      return Counter.builder("sheaf.compression.prefix.size")
          .baseUnit("bytes")
          .description("Bytes of values written compressed, by the policy of their keys")
          .tags(tags)
          .tag("prefix", prefix + "*")
          .tag("form", form)
          .register(registry);
    }

    private static Counter bytes(MeterRegistry registry, Tags tags, String direction, String form) {
      return Counter.builder("sheaf.compression.size")
          .baseUnit("bytes")
          .description("Bytes of compressed values: what they stand for, and what is stored")
          .tags(tags)
          .tag("direction", direction)
          .tag("form", form)
          .register(registry);
    }

    private static Timer time(MeterRegistry registry, Tags tags, String step) {
      return Timer.builder("sheaf.compression.time")
          .description("Time to compress or decompress a value")
          .tags(tags)
          .tag("step", step)
          .register(registry);
    }

    private static Counter skipped(MeterRegistry registry, Tags tags, String reason) {
      return Counter.builder("sheaf.compression.skipped")
          .description("Values under a policy that were stored as they are")
          .tags(tags)
          .tag("reason", reason)
          .register(registry);
    }
  }
}
