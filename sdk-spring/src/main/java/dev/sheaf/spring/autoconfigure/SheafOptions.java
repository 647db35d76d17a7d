// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Observe;
import dev.sheaf.SheafBuilder;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.spring.autoconfigure.SheafProperties.CompressionAlgorithm;
import dev.sheaf.spring.autoconfigure.SheafProperties.CompressionMode;
import dev.sheaf.spring.autoconfigure.SheafProperties.DictionaryMode;
import dev.sheaf.spring.autoconfigure.SheafProperties.Policy;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Converts the properties to the options of a client, and validates them. */
final class SheafOptions {

  private static final String DICTIONARIES = "sheaf.compression.dictionaries";

  private final SheafProperties properties;
  private final Consumer<DictionaryOptions.Builder> dictionaryCustomizer;

  SheafOptions(SheafProperties properties) {
    this(properties, builder -> {});
  }

  /**
   * Creates the options.
   *
   * @param dictionaryCustomizer changes the options of dictionaries last
   */
  SheafOptions(
      SheafProperties properties, Consumer<DictionaryOptions.Builder> dictionaryCustomizer) {
    this.properties = properties;
    this.dictionaryCustomizer = dictionaryCustomizer;
  }

  /**
   * Sets all options of a builder except Lettuce's.
   *
   * @param name the client's name in its meters
   * @throws InvalidSheafPropertyException if a property has an unusable value
   */
  <K, V> SheafBuilder<K, V> applyTo(
      SheafBuilder<K, V> builder, String name, @Nullable MeterRegistry registry) {
    builder.name(name).batching(batching()).loopDetection(properties.loops().detection());
    builder.loopAdvice(SheafOptions::remedyForLoop);
    if (properties.loops().learn()) {
      checked("sheaf.loops", () -> builder.learnLoops(properties.loops().maxAge(), 25));
    }
    builder.availability(availability()).healing(healing()).yielding(properties.yielding());
    checked("sheaf", () -> builder.topologySources(properties.topologySources()));
    builder.observe(observe());
    CompressionOptions compression = compression();
    if (compression != null) {
      builder.compression(compression);
    }
    if (registry != null && properties.metrics().enabled()) {
      builder.meterRegistry(registry);
    }
    return builder;
  }

  private Observe observe() {
    try {
      return Observe.parse(properties.observe());
    } catch (IllegalArgumentException e) {
      throw new InvalidSheafPropertyException(
          "sheaf.observe",
          String.valueOf(e.getMessage()),
          "Set sheaf.observe to commands, batches, sampled(100) for one of a hundred, or off.",
          e);
    }
  }

  /** Names what saves the round trips of a loop over calls of a template. */
  static String remedyForLoop(String command) {
    return switch (command) {
      case "GET" -> "SheafOperations.loop(keys) or SheafOperations.getAll";
      case "SET" -> "SheafOperations.setAll";
      case "DEL", "UNLINK" -> "SheafOperations.deleteAll";
      case "KEYS" ->
          "a set of the keys' names, or one RedisTemplate.scan (KEYS makes all clients wait while"
              + " the server looks at every key),";
      default -> "SheafOperations.batch()";
    };
  }

  BatchingOptions batching() {
    SheafProperties.Batching batching = properties.batching();
    return checked(
        "sheaf.batching",
        () ->
            BatchingOptions.builder()
                .fusion(batching.fusion())
                .hashFusion(batching.hashFusion())
                .maxFusedKeys(batching.maxFusedKeys())
                .maxQueuedCommands(batching.maxQueuedCommands())
                .maxQueuedBytes(batching.maxQueuedBytes().toBytes())
                .maxInFlightCommands(batching.maxInFlightCommands())
                .maxInFlightBytes(batching.maxInFlightBytes().toBytes())
                .maxBatchBytes(bytes("sheaf.batching.max-batch-bytes", batching.maxBatchBytes()))
                .maxLanes(batching.maxLanes())
                .build());
  }

  AvailabilityOptions availability() {
    SheafProperties.Availability availability = properties.availability();
    return checked(
        "sheaf.availability",
        () ->
            AvailabilityOptions.builder()
                .timeout(availability.timeout())
                .maxAge(availability.maxAge())
                .interval(availability.interval())
                .failFastWhileDown(availability.failFastWhileDown())
                .build());
  }

  private HealingOptions healing() {
    SheafProperties.Healing healing = properties.healing();
    return checked(
        "sheaf.healing",
        () ->
            HealingOptions.builder()
                .enabled(healing.enabled())
                .refusedFor(healing.refusedFor())
                .build());
  }

  @Nullable CompressionOptions compression() {
    SheafProperties.Compression compression = properties.compression();
    if (compression.mode() == CompressionMode.OFF) {
      return null;
    }
    List<CompressionPolicy> policies =
        switch (compression.mode()) {
          case ON -> policies(compression);
          case READ_ONLY -> off(compression);
          // Every application has this default, so no command may be refused.
          case READ, OFF -> List.of(CompressionPolicy.off(""));
        };
    DictionaryOptions dictionaries = dictionaries(compression.dictionaries());
    return checked(
        "sheaf.compression",
        () -> {
          CompressionOptions.Builder builder =
              CompressionOptions.builder()
                  .policies(policies.toArray(CompressionPolicy[]::new))
                  .maxValueBytes(
                      bytes("sheaf.compression.max-value-size", compression.maxValueSize()))
                  .maxReplyBytes(compression.maxReplySize().toBytes());
          if (dictionaries != null) {
            builder.dictionaries(dictionaries);
          }
          return builder.build();
        });
  }

  private @Nullable DictionaryOptions dictionaries(SheafProperties.Dictionaries given) {
    return switch (given.mode()) {
      case OFF -> null;
      case NONE -> DictionaryOptions.none();
      case ON -> dictionaries(given, given.training());
      case READ_ONLY -> dictionaries(given, false);
    };
  }

  private DictionaryOptions dictionaries(SheafProperties.Dictionaries given, boolean training) {
    boolean writes = given.mode() == DictionaryMode.ON;
    if (writes) {
      // Otherwise a client would fail at its first connection, without naming a property.
      zstd("sheaf.compression.dictionaries.mode");
    }
    return checked(
        DICTIONARIES,
        () -> {
          DictionaryOptions.Builder builder =
              DictionaryOptions.builder()
                  .training(training)
                  .awaitReaders(given.awaitReaders())
                  .samples(given.samples())
                  .maxNanosPerSavedByte(given.maxNanosPerSavedByte())
                  .lease(given.lease())
                  .except(given.except().toArray(String[]::new));
          if (writes) {
            builder
                .files(given.files().toArray(Path[]::new))
                .resources(given.resources().toArray(String[]::new));
          }
          dictionaryCustomizer.accept(builder);
          return builder.build();
        });
  }

  private static void zstd(String property) {
    try {
      Compressor.zstd();
    } catch (IllegalStateException missing) {
      throw new InvalidSheafPropertyException(
          property,
          String.valueOf(missing.getMessage()),
          "Add that library, or set " + property + " to off.",
          missing);
    }
  }

  /** The policies of keys whose values are not compressed, so that every command can be sent. */
  private static List<CompressionPolicy> off(SheafProperties.Compression compression) {
    return compression.policies().stream()
        .filter(policy -> policy.algorithm() == CompressionAlgorithm.NONE)
        .map(policy -> CompressionPolicy.off(policy.prefix()))
        .toList();
  }

  private static List<CompressionPolicy> policies(SheafProperties.Compression compression) {
    List<CompressionPolicy> policies = new ArrayList<>();
    boolean forAllKeys = false;
    for (int i = 0; i < compression.policies().size(); i++) {
      Policy policy = compression.policies().get(i);
      String name = "sheaf.compression.policies[" + i + "]";
      forAllKeys |= policy.prefix().isEmpty();
      policies.add(
          checked(
              name,
              () ->
                  CompressionPolicy.builder()
                      .prefix(policy.prefix())
                      .compressor(compressor(name + ".algorithm", policy.algorithm()))
                      .minBytes(bytes(name + ".min-size", policy.minSize()))
                      .minGain(policy.minGain())
                      .build()));
    }
    Compressor usual = compressor("sheaf.compression.algorithm", compression.algorithm());
    if (!forAllKeys && usual != null) {
      policies.add(CompressionPolicy.all(usual));
    }
    return policies;
  }

  private static @Nullable Compressor compressor(String property, CompressionAlgorithm algorithm) {
    try {
      return switch (algorithm) {
        case SNAPPY -> Compressor.snappy();
        case LZ4 -> Compressor.lz4();
        case ZSTD -> Compressor.zstd();
        case NONE -> null;
      };
    } catch (IllegalStateException missing) {
      throw new InvalidSheafPropertyException(
          property,
          String.valueOf(missing.getMessage()),
          "Add that library, or set " + property + " to snappy, which comes with Sheaf.",
          missing);
    }
  }

  private static int bytes(String property, DataSize size) {
    long bytes = size.toBytes();
    if (bytes > Integer.MAX_VALUE || bytes < 0) {
      throw new InvalidSheafPropertyException(
          property,
          "must be from 0 to 2 GB, but was " + size,
          "Set " + property + " to a smaller size.",
          new IllegalArgumentException(size.toString()));
    }
    return (int) bytes;
  }

  private static <T> T checked(String group, Supplier<T> options) {
    try {
      return options.get();
    } catch (InvalidSheafPropertyException e) {
      throw e;
    } catch (IllegalArgumentException e) {
      throw new InvalidSheafPropertyException(
          group,
          String.valueOf(e.getMessage()),
          "Change the property below " + group + " that the message names.",
          e);
    }
  }
}
