// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.common.Pace;
import dev.sheaf.internal.common.SingleFlight;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.pipeline.ChannelInstaller;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.Lanes;
import dev.sheaf.internal.pipeline.NodePipeline;
import dev.sheaf.internal.pipeline.NodeWriter;
import dev.sheaf.internal.wait.Deadlines;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterPushHandler;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.StatefulRedisClusterConnectionImpl;
import io.lettuce.core.cluster.topology.ClusterTopologyRefresh;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.json.JsonParser;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lettuce's cluster client with batching node connections. */
public final class CoalescingClusterClient extends RedisClusterClient {

  /** A topology refresh that takes longer has failed, and the next one may start. */
  private static final Duration LONGEST_REFRESH = Duration.ofMinutes(1);

  /**
   * Most lanes to all nodes together, shared equally: as many as five callers need who read from
   * three nodes at random. More nodes have fewer, and more than this none, so that many clients
   * never flood the nodes of a large cluster with connections. It holds for each connection of an
   * application to the cluster. Connections for reading have their own share of it, so a primary
   * that is also read from by {@code ReadFrom} can have two.
   */
  static final int LANES_OF_ALL_NODES = 12;

  private final ChannelInstaller installer;
  private final ClientResources resources;
  private final ClientContext context;
  private final Deadlines deadlines;
  private final Timer timer;
  private final SingleFlight<Void> refreshes;

  /** Set by the constructor above this one's, too, so it has no initial value here. */
  private int requestQueueSize;

  private final int topologySources;

  private CoalescingClusterClient(
      ClientResources resources,
      List<RedisURI> seeds,
      ChannelInstaller installer,
      ClientContext context,
      Deadlines deadlines,
      int topologySources) {
    super(installer.install(resources, context.observe()), seeds);
    this.installer = installer;
    this.resources = resources;
    this.context = context;
    this.deadlines = deadlines;
    this.topologySources = topologySources;
    this.timer = Timer.on(() -> ClientThreads.of(getResources()));
    this.refreshes =
        new SingleFlight<>(super::refreshPartitionsAsync, timer, Pace.TOPOLOGY, LONGEST_REFRESH);
    context
        .healing()
        .refreshTopologyBy(() -> refreshPartitionsAsync().exceptionally(unreachable -> null));
  }

  /** Also called by Lettuce, after redirections and lost connections. */
  @Override
  public CompletionStage<Void> refreshPartitionsAsync() {
    return refreshes.join();
  }

  /** Called by the superclass's constructor, before the fields of this class are set. */
  @Override
  protected ClusterTopologyRefresh createTopologyRefresh() {
    return new TopologySources(
        super.createTopologyRefresh(),
        () -> topologySources,
        sources -> sources == getInitialUris());
  }

  /**
   * Creates a client. The caller must shut down the resources.
   *
   * @param topologySources most nodes to ask for the topology, in addition to the seeds
   */
  public static CoalescingClusterClient create(
      ClientResources resources,
      List<RedisURI> seeds,
      ClientContext context,
      Deadlines deadlines,
      int topologySources) {
    return new CoalescingClusterClient(
        resources,
        seeds,
        ChannelInstaller.forResources(resources),
        context,
        deadlines,
        topologySources);
  }

  /**
   * Converts options to those of a cluster client, with the cluster's defaults for missing ones.
   */
  public static ClusterClientOptions suited(ClientOptions options) {
    return options instanceof ClusterClientOptions cluster
        ? cluster
        : ClusterClientOptions.builder(options).build();
  }

  /** Applies the request queue size to the queues of Sheaf, in place of Lettuce's. */
  @Override
  public void setOptions(ClusterClientOptions options) {
    requestQueueSize = options.getRequestQueueSize();
    super.setOptions(options.mutate().requestQueueSize(Integer.MAX_VALUE).build());
  }

  @Override
  protected <K, V, T extends RedisChannelHandler<K, V>> ConnectionFuture<T> initializeChannelAsync(
      ConnectionBuilder connection) {
    installer.place(connection);
    if (connection.connection() instanceof CoalescingConnection<?, ?> node) {
      node.pipeline().leadsTo(connection.socketAddress());
    }
    return super.initializeChannelAsync(connection);
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer,
      PushHandler endpoint,
      RedisCodec<K, V> codec,
      Duration timeout,
      Supplier<JsonParser> parser) {
    NodeWriter coalescing =
        new NodeWriter(
            writer,
            context.withAtMostQueued(requestQueueSize),
            true,
            getOptions(),
            getCommandListeners());
    Lanes lanes = lanes(coalescing.pipeline(), codec);
    return new CoalescingConnection<>(
        installer,
        coalescing,
        endpoint,
        codec,
        deadlines,
        context.commandTimeout(),
        getOptions(),
        lanes);
  }

  private @Nullable Lanes lanes(NodePipeline main, RedisCodec<?, ?> codec) {
    int maxLanes = context.batching().maxLanes();
    if (maxLanes == 0) {
      return null;
    }
    Lanes lanes =
        new Lanes(
            main,
            () -> Math.min(maxLanes, LANES_OF_ALL_NODES / Math.max(1, getPartitions().size())),
            context.writes(),
            timer,
            () -> openLane(main, codec));
    main.setLanes(lanes);
    return lanes;
  }

  /**
   * Opens another connection to the node of a connection. Its address is resolved as for that one:
   * the address that a socket has reached may mean nothing to the application's resolver or proxy.
   */
  private Lanes.Opening openLane(NodePipeline main, RedisCodec<?, ?> codec) {
    return CoalescingRedisClient.openLane(
        resources, getFirstUri(), main.node(), codec, context, deadlines, getOptions());
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer, PushHandler endpoint, RedisCodec<K, V> codec, Duration timeout) {
    return newStatefulRedisConnection(
        writer, endpoint, codec, timeout, getOptions().getJsonParser());
  }

  @Override
  protected <V, K> StatefulRedisClusterConnectionImpl<K, V> newStatefulRedisClusterConnection(
      RedisChannelWriter writer,
      ClusterPushHandler pushHandler,
      RedisCodec<K, V> codec,
      Duration timeout,
      Supplier<JsonParser> parser) {
    return new CoalescingClusterConnection<>(
        writer, pushHandler, codec, timeout, parser, context, deadlines);
  }

  @Override
  protected <V, K> StatefulRedisClusterConnectionImpl<K, V> newStatefulRedisClusterConnection(
      RedisChannelWriter writer,
      ClusterPushHandler pushHandler,
      RedisCodec<K, V> codec,
      Duration timeout) {
    return newStatefulRedisClusterConnection(
        writer, pushHandler, codec, timeout, getOptions().getJsonParser());
  }
}
