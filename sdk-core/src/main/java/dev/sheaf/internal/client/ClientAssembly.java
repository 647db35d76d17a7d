// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.internal.availability.NodeSource;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.availability.WatchSettings;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import dev.sheaf.internal.connect.ConnectAttempts;
import dev.sheaf.internal.connect.ConnectFailures;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.heal.Healing;
import dev.sheaf.internal.pipeline.BatchMeters;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.ScriptTexts;
import dev.sheaf.internal.readthrough.ReadThroughs;
import dev.sheaf.internal.sync.LoopPlaces;
import dev.sheaf.internal.sync.LoopSampler;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Creates the parts that the connections of a client share, and a {@link Sheaf} for one of them.
 *
 * @param resources whose threads the parts use
 * @param loopDetector null if loops are not detected
 */
public record ClientAssembly(
    ClientSettings<?, ?> settings,
    ClientContext context,
    ClientResources resources,
    @Nullable LoopSampler loopDetector,
    LoopPlaces loopPlaces) {

  /**
   * Creates the assembly of a client that connects to an address.
   *
   * @param uri has the time-out if the options have none
   * @param meters from {@link #meters}, once for each client
   * @param compression from {@link #compression}, once for each client
   */
  public static ClientContext context(
      ClientSettings<?, ?> settings,
      RedisURI uri,
      @Nullable BatchMeters meters,
      @Nullable CompressionEngine compression) {
    Duration chosen = settings.commandTimeout;
    Duration timeout = chosen == null ? uri.getTimeout() : chosen;
    return new ClientContext(
        settings.batching,
        timeout,
        new WriteClock(),
        meters,
        compression,
        new ScriptTexts(),
        new AtomicInteger(),
        new Healing(settings.healing, settings.meterRegistry, settings.name),
        settings.observe,
        settings.yielding ? ClientContext.YIELDS : 0);
  }

  /** Creates the meters of batches; null without a registry. */
  public static @Nullable BatchMeters meters(ClientSettings<?, ?> settings) {
    MeterRegistry registry = settings.meterRegistry;
    return registry == null ? null : new BatchMeters(registry, settings.name);
  }

  /** Lets a client keep dictionaries on its server. */
  public static void attachDictionaries(
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
            ClientThreads.of(resources),
            context.commandTimeout());
    compression.dictionaries().attach(store, ClientThreads.of(resources));
  }

  /** Returns what has been learned of loops. */
  public static LoopPlaces loopPlaces(ClientSettings<?, ?> settings) {
    return new LoopPlaces(settings.loopLearning, settings.meterRegistry, settings.name);
  }

  /** Creates the compression, which the caller closes; null unless it was asked for. */
  public static @Nullable CompressionEngine compression(ClientSettings<?, ?> settings) {
    CompressionOptions chosen = settings.compression;
    return chosen == null
        ? null
        : new CompressionEngine(chosen, settings.meterRegistry, settings.name);
  }

  /**
   * Creates a {@link Sheaf} for one connection.
   *
   * @param watchSoon whether the availability guard starts now instead of at its first use
   * @param closeServer closes what was opened for this client alone
   * @param afterClose runs last, whatever fails before
   */
  public <K, V> DefaultSheaf<K, V> over(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      NodeSource<K> nodes,
      boolean watchSoon,
      Runnable closeServer,
      Runnable afterClose) {
    NodeWatch<K> watch = NodeWatch.own(nodes, watchSettings());
    if (watchSoon) {
      watch.beginSoon();
    }
    return over(server, codec, watch, closeServer, afterClose);
  }

  /** Creates a {@link Sheaf} for one connection, with a watch that others may share. */
  public <K, V> DefaultSheaf<K, V> over(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      NodeWatch<K> watch,
      Runnable closeServer,
      Runnable afterClose) {
    return new DefaultSheaf<>(
        server,
        codec,
        context,
        settings.meterRegistry,
        settings.name,
        loopDetector,
        loopPlaces,
        watch,
        new ReadThroughs<>(
            server, codec, context.compression(), watch, settings.meterRegistry, settings.name),
        () -> connectAgain(server, codec),
        closeServer,
        afterClose);
  }

  private <K, V> ConnectedServer<K, V> connectAgain(
      ConnectedServer<K, V> server, RedisCodec<K, V> codec) {
    try {
      return ConnectAttempts.connect(() -> connectOnce(server, codec));
    } catch (RuntimeException e) {
      throw ConnectFailures.explain(settings.uris, settings.connectTimeout, e);
    }
  }

  private <K, V> ConnectedServer<K, V> connectOnce(
      ConnectedServer<K, V> server, RedisCodec<K, V> codec) {
    if (server.client() instanceof RedisClusterClient cluster) {
      StatefulRedisClusterConnection<K, V> connection = cluster.connect(codec);
      connection.setTimeout(context.commandTimeout());
      return ConnectedServer.of(connection, cluster);
    }
    return ConnectedServer.of(((RedisClient) server.client()).connect(codec), server.client());
  }

  private WatchSettings watchSettings() {
    AvailabilityOptions chosen = settings.availability;
    return new WatchSettings(
        chosen == null ? AvailabilityOptions.defaults() : chosen,
        resources,
        settings.clientOptions,
        settings.connectTimeout,
        DefaultSheaf.CLOSE_TIMEOUT,
        ConnectFailures::reason,
        settings.meterRegistry,
        settings.name);
  }
}
