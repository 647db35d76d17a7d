package dev.sheaf;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import dev.sheaf.internal.heal.Healing;
import dev.sheaf.internal.pipeline.BatchMeters;
import dev.sheaf.internal.pipeline.Callers;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.ScriptTexts;
import dev.sheaf.internal.sync.LearnedPlaces;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Makes of a client's options what its connections share. */
final class Contexts {

  private Contexts() {}

  /**
   * For a client that is reached by an address.
   *
   * @param uri gives the time-out where the options name none
   * @param meters of {@link #meters}, once for each client
   * @param compression of {@link #compression}, once for each client
   */
  static ClientContext of(
      SheafBuilder<?, ?> options,
      RedisURI uri,
      @Nullable BatchMeters meters,
      @Nullable CompressionEngine compression) {
    Duration chosen = options.commandTimeout();
    Duration timeout = chosen == null ? uri.getTimeout() : chosen;
    return new ClientContext(
        options.batching(),
        timeout,
        new WriteClock(),
        meters,
        compression,
        new ScriptTexts(),
        new Callers(),
        new Healing(options.healing(), options.meterRegistry(), options.name()),
        options.observe());
  }

  static @Nullable BatchMeters meters(SheafBuilder<?, ?> options) {
    MeterRegistry registry = options.meterRegistry();
    return registry == null ? null : new BatchMeters(registry, options.name());
  }

  /** Lets a client keep dictionaries in the server that it connects to. */
  static void attachDictionaries(
      ClientContext context, AbstractRedisClient client, RedisURI uri, ClientResources resources) {
    CompressionEngine compression = context.compression();
    if (compression == null) {
      return;
    }
    DictionaryStore store =
        new DictionaryStore(
            client instanceof RedisClusterClient cluster
                ? () -> cluster.connectAsync(ByteArrayCodec.INSTANCE)
                : () -> ((RedisClient) client).connectAsync(ByteArrayCodec.INSTANCE, uri),
            resources.eventExecutorGroup(),
            context.commandTimeout());
    compression.dictionaries().attach(store, resources.eventExecutorGroup());
  }

  /** What is learned of loops; null unless that was asked for. */
  static @Nullable LearnedPlaces learnedPlaces(SheafBuilder<?, ?> options) {
    LoopLearning chosen = options.loopLearning();
    return chosen == null
        ? null
        : new LearnedPlaces(chosen, options.meterRegistry(), options.name());
  }

  /** To be closed by whom asked for it. */
  static @Nullable CompressionEngine compression(SheafBuilder<?, ?> options) {
    CompressionOptions chosen = options.compression();
    return chosen == null
        ? null
        : new CompressionEngine(chosen, options.meterRegistry(), options.name());
  }
}
