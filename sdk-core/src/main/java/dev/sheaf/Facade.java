package dev.sheaf;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.internal.availability.NodeSource;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.availability.WatchSettings;
import dev.sheaf.internal.connect.ConnectAttempts;
import dev.sheaf.internal.connect.ConnectFailures;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.readthrough.CacheAccess;
import dev.sheaf.internal.readthrough.ReadThroughs;
import dev.sheaf.internal.sync.LearnedPlaces;
import dev.sheaf.internal.sync.LoopSampler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * Puts the parts of a {@link Sheaf} over a connection that is there.
 *
 * @param resources whose threads the parts use
 * @param loopDetector null if nobody looks for loops
 * @param learnedPlaces null if nobody learns them
 */
record Facade(
    SheafBuilder<?, ?> options,
    ClientContext context,
    ClientResources resources,
    @Nullable LoopSampler loopDetector,
    @Nullable LearnedPlaces learnedPlaces) {

  /**
   * Makes the face of one connection.
   *
   * @param watchSoon whether the availability guard begins now, and not when it is first asked
   * @param closeServer closes what was opened for this face alone
   * @param afterClose runs last, whatever fails before
   */
  <K, V> DefaultSheaf<K, V> over(
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

  /** Makes the face of one connection with a watch that may be another's. */
  <K, V> DefaultSheaf<K, V> over(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      NodeWatch<K> watch,
      Runnable closeServer,
      Runnable afterClose) {
    return new DefaultSheaf<>(
        server,
        codec,
        context,
        options.meterRegistry(),
        options.name(),
        loopDetector,
        learnedPlaces,
        watch,
        new ReadThroughs<>(
            new CacheAccess<>(server, codec, context.compression(), watch),
            options.meterRegistry(),
            options.name()),
        () -> connectAgain(server, codec),
        closeServer,
        afterClose);
  }

  private <K, V> ConnectedServer<K, V> connectAgain(
      ConnectedServer<K, V> server, RedisCodec<K, V> codec) {
    try {
      return ConnectAttempts.connect(() -> connectOnce(server, codec));
    } catch (RuntimeException e) {
      throw ConnectFailures.explain(options.uris(), options.connectTimeout(), e);
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
    AvailabilityOptions chosen = options.availability();
    return new WatchSettings(
        chosen == null ? AvailabilityOptions.defaults() : chosen,
        resources,
        options.clientOptions(),
        options.connectTimeout(),
        DefaultSheaf.CLOSE_TIMEOUT,
        ConnectFailures::reason,
        options.meterRegistry(),
        options.name());
  }
}
