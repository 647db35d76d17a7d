// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.internal.common.Meters;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The compression meters of a client. Tags are the client's name, few fixed values, and prefixes of
 * policies, so the number of meters does not grow with keys or commands. Thread-safe.
 */
final class CompressionMeters {

  /**
   * The most prefixes with meters of their own, two each; further ones are counted in the total
   * only.
   */
  static final int MAX_PREFIXES = 100;

  private final MeterRegistry registry;
  private final Tags tags;
  private final Sizes written;
  private final Sizes read;
  private final Map<String, Sizes> writtenByPrefix = new ConcurrentHashMap<>();
  private final Timer compressTime;
  private final Timer decompressTime;
  private final Map<Skipped, Counter> skipped = new EnumMap<>(Skipped.class);
  private final Counter refused;
  private final Map<Reason, Counter> unreadable = new EnumMap<>(Reason.class);

  /** Why a value under a policy is stored uncompressed. */
  enum Skipped {
    SMALL,
    NUMBER,
    NO_GAIN
  }

  /** The original and stored sizes of values. */
  private record Sizes(Counter original, Counter stored) {

    void count(int originalBytes, int storedBytes) {
      original.increment(originalBytes);
      stored.increment(storedBytes);
    }
  }

  /**
   * Registers the meters.
   *
   * @param given null for no meters
   * @param client the client's name in its meters
   */
  CompressionMeters(@Nullable MeterRegistry given, String client) {
    registry = Meters.in(given);
    tags = Tags.of("client", client);
    String sizes = "Bytes of compressed values: what they stand for, and what is stored";
    written = sizes("sheaf.compression.size", sizes, tags.and("direction", "written"));
    read = sizes("sheaf.compression.size", sizes, tags.and("direction", "read"));
    compressTime = time("compress");
    decompressTime = time("decompress");
    for (Skipped reason : Skipped.values()) {
      String description = "Values under a policy that were stored as they are";
      skipped.put(reason, counter("sheaf.compression.skipped", description, reason));
    }
    for (Reason reason : Reason.values()) {
      String description = "Stored values that could not be read";
      unreadable.put(reason, counter("sheaf.compression.unreadable", description, reason));
    }
    refused =
        Counter.builder("sheaf.compression.refused")
            .description("Commands refused because they work on stored bytes")
            .tags(tags)
            .register(registry);
  }

  private Sizes sizes(String name, String description, Tags of) {
    Counter.Builder counter =
        Counter.builder(name).baseUnit("bytes").description(description).tags(of);
    Counter original = counter.tag("form", "original").register(registry);
    return new Sizes(original, counter.tag("form", "stored").register(registry));
  }

  private Timer time(String step) {
    return Timer.builder("sheaf.compression.time")
        .description("Time to compress or decompress a value")
        .tags(tags)
        .tag("step", step)
        .register(registry);
  }

  private Counter counter(String name, String description, Enum<?> reason) {
    return Counter.builder(name)
        .description(description)
        .tags(tags)
        .tag("reason", reason.name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .register(registry);
  }

  void compressed(CompressionPolicy policy, int originalBytes, int storedBytes, long startNanos) {
    written.count(originalBytes, storedBytes);
    Sizes ofPrefix = writtenByPrefix.get(policy.prefix());
    if (ofPrefix == null && writtenByPrefix.size() < MAX_PREFIXES) {
      ofPrefix = writtenByPrefix.computeIfAbsent(policy.prefix(), this::writtenUnder);
    }
    if (ofPrefix != null) {
      ofPrefix.count(originalBytes, storedBytes);
    }
    compressTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
  }

  private Sizes writtenUnder(String prefix) {
    return sizes(
        "sheaf.compression.prefix.size",
        "Bytes of values written compressed, by the policy of their keys",
        tags.and("prefix", prefix + "*"));
  }

  void skippedNoGain(long startNanos) {
    skipped(Skipped.NO_GAIN);
    compressTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
  }

  void skipped(Skipped reason) {
    count(skipped, reason);
  }

  void refused() {
    refused.increment();
  }

  void decompressed(int originalBytes, int storedBytes, long startNanos) {
    read.count(originalBytes, storedBytes);
    decompressTime.record(System.nanoTime() - startNanos, TimeUnit.NANOSECONDS);
  }

  void unreadable(Reason reason) {
    count(unreadable, reason);
  }

  private static <R> void count(Map<R, Counter> counters, R reason) {
    Objects.requireNonNull(counters.get(reason)).increment();
  }
}
