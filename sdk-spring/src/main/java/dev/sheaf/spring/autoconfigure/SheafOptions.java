package dev.sheaf.spring.autoconfigure;

import dev.sheaf.BatchingOptions;
import dev.sheaf.LoopLearning;
import dev.sheaf.Observe;
import dev.sheaf.SheafBuilder;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.Compressors;
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

/** The properties as the options of a client, checked. */
final class SheafOptions {

  private static final String DICTIONARIES = "sheaf.compression.dictionaries";

  private final SheafProperties properties;
  private final Consumer<DictionaryOptions.Builder> dictionaryCustomizer;

  SheafOptions(SheafProperties properties) {
    this(properties, builder -> {});
  }

  /**
   * Options of properties.
   *
   * @param dictionaryCustomizer has the last word on options of dictionaries
   */
  SheafOptions(
      SheafProperties properties, Consumer<DictionaryOptions.Builder> dictionaryCustomizer) {
    this.properties = properties;
    this.dictionaryCustomizer = dictionaryCustomizer;
  }

  /**
   * Gives a builder all options but those of Lettuce.
   *
   * @param name the client's name in its meters
   * @throws InvalidSheafPropertyException if a property has a value that cannot be used
   */
  <K, V> SheafBuilder<K, V> applyTo(
      SheafBuilder<K, V> builder, String name, @Nullable MeterRegistry registry) {
    builder.name(name).batching(batching()).loopDetection(properties.getLoops().isDetection());
    builder.loopAdvice(SheafOptions::remedyForLoop);
    if (properties.getLoops().isLearn()) {
      builder.learnLoops(learning());
    }
    builder.availability(availability()).healing(healing()).yielding(properties.isYielding());
    builder.observe(observe());
    CompressionOptions compression = compression();
    if (compression != null) {
      builder.compression(compression);
    }
    if (registry != null && properties.getMetrics().isEnabled()) {
      builder.meterRegistry(registry);
    }
    return builder;
  }

  private Observe observe() {
    try {
      return Observe.parse(properties.getObserve());
    } catch (IllegalArgumentException e) {
      throw new InvalidSheafPropertyException(
          "sheaf.observe",
          String.valueOf(e.getMessage()),
          "Set sheaf.observe to commands, batches, sampled(100) for one of a hundred, or off.",
          e);
    }
  }

  /** What saves the round trips of a loop over calls of a template. */
  static String remedyForLoop(String command) {
    return switch (command) {
      case "GET" -> "SheafOperations.loop(keys) or SheafOperations.getAll";
      case "SET" -> "SheafOperations.setAll";
      case "DEL", "UNLINK" -> "SheafOperations.deleteAll";
      default -> "SheafOperations.batch()";
    };
  }

  BatchingOptions batching() {
    SheafProperties.Batching batching = properties.getBatching();
    return checked(
        "sheaf.batching",
        () ->
            BatchingOptions.builder()
                .fusion(batching.isFusion())
                .hashFusion(batching.isHashFusion())
                .maxFusedKeys(batching.getMaxFusedKeys())
                .maxQueuedCommands(batching.getMaxQueuedCommands())
                .maxQueuedBytes(batching.getMaxQueuedBytes().toBytes())
                .maxInFlightCommands(batching.getMaxInFlightCommands())
                .maxInFlightBytes(batching.getMaxInFlightBytes().toBytes())
                .maxBatchBytes(bytes("sheaf.batching.max-batch-bytes", batching.getMaxBatchBytes()))
                .maxLanes(batching.getMaxLanes())
                .build());
  }

  AvailabilityOptions availability() {
    SheafProperties.Availability availability = properties.getAvailability();
    return checked(
        "sheaf.availability",
        () ->
            AvailabilityOptions.builder()
                .timeout(availability.getTimeout())
                .maxAge(availability.getMaxAge())
                .interval(availability.getInterval())
                .failFastWhileDown(availability.isFailFastWhileDown())
                .build());
  }

  private HealingOptions healing() {
    SheafProperties.Healing healing = properties.getHealing();
    return checked(
        "sheaf.healing",
        () ->
            HealingOptions.builder()
                .enabled(healing.isEnabled())
                .minPause(healing.getMinPause())
                .maxPause(healing.getMaxPause())
                .maxPerSecond(healing.getMaxPerSecond())
                .refusedFor(healing.getRefusedFor())
                .build());
  }

  private LoopLearning learning() {
    return checked(
        "sheaf.loops", () -> LoopLearning.defaults().withMaxAge(properties.getLoops().getMaxAge()));
  }

  @Nullable CompressionOptions compression() {
    SheafProperties.Compression compression = properties.getCompression();
    if (compression.getMode() == CompressionMode.OFF) {
      return null;
    }
    List<CompressionPolicy> policies =
        switch (compression.getMode()) {
          case ON -> policies(compression);
          case READ_ONLY -> off(compression);
          // Every application has this unless it asks for more, so nothing may be refused.
          case READ, OFF -> List.of(CompressionPolicy.off(""));
        };
    DictionaryOptions dictionaries = dictionaries(compression.getDictionaries());
    return checked(
        "sheaf.compression",
        () -> {
          CompressionOptions.Builder builder =
              CompressionOptions.builder()
                  .policies(policies.toArray(CompressionPolicy[]::new))
                  .learning(compression.isLearning())
                  .maxValueBytes(
                      bytes("sheaf.compression.max-value-size", compression.getMaxValueSize()))
                  .maxReplyBytes(compression.getMaxReplySize().toBytes());
          if (dictionaries != null) {
            builder.dictionaries(dictionaries);
          }
          return builder.build();
        });
  }

  private @Nullable DictionaryOptions dictionaries(SheafProperties.Dictionaries given) {
    return switch (given.getMode()) {
      case OFF -> null;
      case NONE -> DictionaryOptions.none();
      case ON -> dictionaries(given, given.isTraining());
      case READ_ONLY -> dictionaries(given, false);
    };
  }

  private DictionaryOptions dictionaries(SheafProperties.Dictionaries given, boolean training) {
    boolean writes = given.getMode() == DictionaryMode.ON;
    if (writes) {
      // Without it, a client would fail with its first connection, and name no property.
      zstd("sheaf.compression.dictionaries.mode");
    }
    return checked(
        DICTIONARIES,
        () -> {
          DictionaryOptions.Builder builder =
              DictionaryOptions.builder()
                  .training(training)
                  .awaitReaders(given.isAwaitReaders())
                  .samples(given.getSamples())
                  .sampleBytes(bytes(DICTIONARIES + ".sample-size", given.getSampleSize()))
                  .dictionaryBytes(bytes(DICTIONARIES + ".size", given.getSize()))
                  .minSaving(given.getMinSaving())
                  .maxNanosPerSavedByte(given.getMaxNanosPerSavedByte())
                  .lease(given.getLease())
                  .except(given.getExcept().toArray(String[]::new));
          if (writes) {
            builder
                .files(given.getFiles().toArray(Path[]::new))
                .resources(given.getResources().toArray(String[]::new));
          }
          dictionaryCustomizer.accept(builder);
          return builder.build();
        });
  }

  private static void zstd(String property) {
    try {
      Compressors.zstd();
    } catch (IllegalStateException missing) {
      throw new InvalidSheafPropertyException(
          property,
          String.valueOf(missing.getMessage()),
          "Add that library, or set " + property + " to off.",
          missing);
    }
  }

  /** The policies of keys whose values nobody compresses, so that every command may be sent. */
  private static List<CompressionPolicy> off(SheafProperties.Compression compression) {
    return compression.getPolicies().stream()
        .filter(policy -> policy.getAlgorithm() == CompressionAlgorithm.NONE)
        .map(policy -> CompressionPolicy.off(policy.getPrefix()))
        .toList();
  }

  private static List<CompressionPolicy> policies(SheafProperties.Compression compression) {
    List<CompressionPolicy> policies = new ArrayList<>();
    boolean forAllKeys = false;
    for (int i = 0; i < compression.getPolicies().size(); i++) {
      Policy policy = compression.getPolicies().get(i);
      String name = "sheaf.compression.policies[" + i + "]";
      forAllKeys |= policy.getPrefix().isEmpty();
      policies.add(
          checked(
              name,
              () ->
                  CompressionPolicy.builder()
                      .prefix(policy.getPrefix())
                      .compressor(compressor(name + ".algorithm", policy.getAlgorithm()))
                      .minBytes(bytes(name + ".min-size", policy.getMinSize()))
                      .minGain(policy.getMinGain())
                      .build()));
    }
    Compressor usual = compressor("sheaf.compression.algorithm", compression.getAlgorithm());
    if (!forAllKeys && usual != null) {
      policies.add(CompressionPolicy.all(usual));
    }
    return policies;
  }

  private static @Nullable Compressor compressor(String property, CompressionAlgorithm algorithm) {
    try {
      return switch (algorithm) {
        case SNAPPY -> Compressors.snappy();
        case LZ4 -> Compressors.lz4();
        case ZSTD -> Compressors.zstd();
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
