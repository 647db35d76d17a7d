// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.common.Uris;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.CoalescingClusterClient;
import dev.sheaf.internal.connect.CoalescingRedisClient;
import dev.sheaf.internal.connect.ConnectAttempts;
import dev.sheaf.internal.connect.ConnectFailures;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.connect.HostNames;
import dev.sheaf.internal.connect.NodeSources;
import dev.sheaf.internal.connect.ServerMode;
import dev.sheaf.internal.connect.ServerUris;
import dev.sheaf.internal.pipeline.BatchMeters;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.sync.LoopSampler;
import dev.sheaf.internal.wait.Deadlines;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Creates a client: connects to one of the addresses, asks the server for its kind, and connects as
 * to a single server or as to a cluster.
 */
public final class Connector<K, V> {

  private final ClientSettings<K, V> settings;
  private final ClientResources resources;
  private final boolean ownResources;
  private final @Nullable BatchMeters meters;
  private final @Nullable CompressionEngine compression;

  /** Creates a connector without connecting. */
  public Connector(ClientSettings<K, V> settings) {
    this.settings = settings;
    ClientResources given = settings.clientResources;
    this.ownResources = given == null;
    this.meters = ClientAssembly.meters(settings);
    this.compression = ClientAssembly.compression(settings);
    this.resources = given == null ? ClientResources.create() : given;
  }

  /**
   * Connects to the first address that is reachable.
   *
   * @throws io.lettuce.core.RedisConnectionException if none is; the message says why
   */
  public Sheaf<K, V> connect() {
    RuntimeException failure = null;
    for (RedisURI uri : settings.uris) {
      try {
        return ConnectAttempts.connect(() -> connect(uri));
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    releaseResources();
    throw ConnectFailures.explain(settings.uris, settings.connectTimeout, failure);
  }

  private Sheaf<K, V> connect(RedisURI uri) {
    ClientContext context = ClientAssembly.context(settings, uri, meters, compression);
    Deadlines deadlines = new Deadlines(context.commandTimeout(), context.yields());
    CoalescingRedisClient client =
        CoalescingRedisClient.create(resources, bounded(uri), context, deadlines);
    boolean keep = false;
    try {
      if (ownResources) {
        // Client resources of the application can have a resolver of their own.
        HostNames.require(uri, settings.connectTimeout);
      }
      client.setOptions(clientOptions());
      StatefulRedisConnection<K, V> connection = client.connect(settings.codec);
      ServerMode mode = ServerMode.ask(connection, settings.connectTimeout);
      if (mode == ServerMode.SENTINEL) {
        throw new SheafException(
            "This is a Sentinel, not a data node; write redis-sentinel://host:port#master-name");
      }
      if (mode == ServerMode.CLUSTER) {
        return connectCluster(uri, context, deadlines);
      }
      if (settings.uris.size() > 1) {
        throw new SheafException(
            ServerUris.shown(List.of(uri))
                + " is a single server, and the URI names "
                + settings.uris.size()
                + ", which must be nodes of one cluster; write one address");
      }
      Sheaf<K, V> connected =
          sheaf(ConnectedServer.of(connection, client), uri, context, deadlines);
      keep = true;
      return connected;
    } finally {
      if (!keep) {
        shutDown(client);
      }
    }
  }

  private Sheaf<K, V> connectCluster(RedisURI reached, ClientContext context, Deadlines deadlines) {
    if (reached.getDatabase() != 0) {
      throw new SheafException(
          "A cluster has database 0 only, but the URI names database " + reached.getDatabase());
    }
    List<RedisURI> seeds = new ArrayList<>();
    seeds.add(bounded(reached));
    for (RedisURI uri : settings.uris) {
      if (!uri.equals(reached)) {
        seeds.add(bounded(uri));
      }
    }
    CoalescingClusterClient client =
        CoalescingClusterClient.create(
            resources, seeds, context, deadlines, settings.topologySources);
    boolean keep = false;
    try {
      client.setOptions(CoalescingClusterClient.suited(clientOptions()));
      StatefulRedisClusterConnection<K, V> connection = client.connect(settings.codec);
      connection.setTimeout(context.commandTimeout());
      connectToMasters(connection);
      Sheaf<K, V> connected =
          sheaf(ConnectedServer.of(connection, client), reached, context, deadlines);
      keep = true;
      return connected;
    } finally {
      if (!keep) {
        shutDown(client);
      }
    }
  }

  private Sheaf<K, V> sheaf(
      ConnectedServer<K, V> server, RedisURI uri, ClientContext context, Deadlines deadlines) {
    LoopSampler detector = loopDetector(server.connection());
    ClientAssembly.attachDictionaries(context, server.client(), bounded(uri), resources);
    return new ClientAssembly(
            settings, context, resources, detector, ClientAssembly.loopPlaces(settings))
        .over(
            server,
            settings.codec,
            NodeSources.of(server, settings.codec, bounded(uri)),
            settings.availability != null,
            () -> {
              if (compression != null) {
                compression.dictionaries().close();
              }
              server.connection().close();
              shutDown(server.client());
            },
            () -> {
              if (detector != null) {
                detector.close();
              }
              deadlines.close();
              releaseResources();
            });
  }

  /**
   * Opens the connections that Lettuce would open at the first command for each node, so that the
   * first commands are batched as well. A node that cannot be reached is tried again at its first
   * command.
   */
  private void connectToMasters(StatefulRedisClusterConnection<K, V> connection) {
    List<CompletableFuture<?>> opening = new ArrayList<>();
    for (RedisClusterNode node : connection.getPartitions()) {
      if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
        opening.add(
            connection
                .getConnectionAsync(node.getUri().getHost(), node.getUri().getPort())
                .toCompletableFuture());
      }
    }
    CompletableFuture.allOf(opening.toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, settings.connectTimeout.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(unreachable -> null)
        .join();
  }

  /** The URI's time-out bounds Lettuce's handshake. Commands get theirs elsewhere. */
  private RedisURI bounded(RedisURI uri) {
    return Uris.withTimeout(uri, settings.connectTimeout);
  }

  private ClientOptions clientOptions() {
    ClientOptions given = settings.clientOptions;
    return given == null ? ClientOptions.builder().socketOptions(socketOptions()).build() : given;
  }

  private SocketOptions socketOptions() {
    return SocketOptions.builder().connectTimeout(settings.connectTimeout).build();
  }

  private @Nullable LoopSampler loopDetector(StatefulConnection<K, V> connection) {
    return settings.loopDetection
        ? new LoopSampler(
            settings.meterRegistry,
            settings.name,
            settings.loopAdvice,
            connection,
            ClientThreads.of(resources))
        : null;
  }

  private static void shutDown(AbstractRedisClient client) {
    client.shutdown(Duration.ZERO, DefaultSheaf.CLOSE_TIMEOUT);
  }

  private void releaseResources() {
    if (compression != null) {
      compression.close();
    }
    if (ownResources) {
      resources
          .shutdown(0, DefaultSheaf.CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
          .awaitUninterruptibly(2 * DefaultSheaf.CLOSE_TIMEOUT.toMillis());
    }
  }
}
