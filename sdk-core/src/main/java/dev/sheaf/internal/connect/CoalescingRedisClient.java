// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.common.ClientThreads;
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
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.PushHandler;
import io.lettuce.core.resource.ClientResources;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Lettuce's client for one server with batching connections. */
public final class CoalescingRedisClient extends RedisClient {

  private final ChannelInstaller installer;
  private final ClientContext context;
  private final Deadlines deadlines;
  private final ClientResources resources;
  private final RedisURI uri;
  private final boolean isLane;

  /** The address of a node of a cluster, for a lane to it; null for other servers. */
  private final @Nullable Mono<SocketAddress> node;

  private final int maxLanes;
  private final Timer timer;

  /** By the name of the primary. */
  private final Map<String, SentinelWatch> sentinels = new ConcurrentHashMap<>();

  /** Set by the constructor above this one's, too, so it has no initial value here. */
  private int requestQueueSize;

  /** The address that the current thread connects to, per client. */
  @SuppressWarnings("ThreadLocalUsage")
  private final ThreadLocal<@Nullable RedisURI> connecting = new ThreadLocal<>();

  private CoalescingRedisClient(
      ClientResources resources,
      RedisURI uri,
      ChannelInstaller installer,
      ClientContext context,
      Deadlines deadlines,
      boolean isLane,
      @Nullable Mono<SocketAddress> node) {
    super(installer.install(resources, context.observe()), uri);
    this.resources = resources;
    this.uri = uri;
    this.isLane = isLane;
    this.node = node;
    this.maxLanes = isLane ? 0 : context.batching().maxLanes();
    this.installer = installer;
    this.context = context;
    this.deadlines = deadlines;
    this.timer = Timer.on(() -> ClientThreads.of(getResources()));
  }

  /** Creates a client. The caller must shut down the resources. */
  public static CoalescingRedisClient create(
      ClientResources resources, RedisURI uri, ClientContext context, Deadlines deadlines) {
    return new CoalescingRedisClient(
        resources, uri, ChannelInstaller.forResources(resources), context, deadlines, false, null);
  }

  /** Applies the request queue size to the queues of Sheaf, in place of Lettuce's. */
  @Override
  public void setOptions(ClientOptions options) {
    requestQueueSize = options.getRequestQueueSize();
    super.setOptions(options.mutate().requestQueueSize(Integer.MAX_VALUE).build());
  }

  /** Connects with the URI's time-out for the handshake and the client's for commands. */
  @Override
  public <K, V> StatefulRedisConnection<K, V> connect(RedisCodec<K, V> codec) {
    return toward(uri, () -> super.connect(codec));
  }

  @Override
  public StatefulRedisConnection<String, String> connect() {
    return connect(StringCodec.UTF8);
  }

  @Override
  public StatefulRedisConnection<String, String> connect(RedisURI address) {
    return connect(StringCodec.UTF8, address);
  }

  @Override
  public <K, V> StatefulRedisConnection<K, V> connect(RedisCodec<K, V> codec, RedisURI address) {
    return toward(address, () -> super.connect(codec, address));
  }

  @Override
  public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
      RedisCodec<K, V> codec, RedisURI address) {
    return toward(address, () -> super.connectAsync(codec, address));
  }

  /** Makes the address available to objects created on this thread while connecting. */
  private <T> T toward(RedisURI address, Supplier<T> connect) {
    connecting.set(address);
    try {
      T connection = connect.get();
      watchSentinels(address);
      return connection;
    } finally {
      connecting.remove();
    }
  }

  /** Has the connections leave a primary when its Sentinels announce another. */
  private void watchSentinels(RedisURI address) {
    if (!isLane && !address.getSentinels().isEmpty() && context.healing().isEnabled()) {
      SentinelWatch watch =
          new SentinelWatch(
              address,
              sentinel -> connectPubSubAsync(StringCodec.UTF8, sentinel),
              timer,
              (primary, reason) -> timer.after(() -> failedOver(primary, reason), 0));
      if (sentinels.putIfAbsent(address.getSentinelMasterId(), watch) == null) {
        watch.start();
      }
    }
  }

  /** May wait for a name to be resolved, so it is not called on an event loop. */
  private void failedOver(RedisURI primary, String reason) {
    SocketAddress address = resources.socketAddressResolver().resolve(primary);
    context
        .healing()
        .failedOver(
            address instanceof InetSocketAddress internet && internet.isUnresolved()
                ? new InetSocketAddress(internet.getHostString(), internet.getPort())
                : address,
            reason);
  }

  @Override
  public CompletableFuture<Void> shutdownAsync(long quietPeriod, long timeout, TimeUnit unit) {
    sentinels.values().forEach(SentinelWatch::close);
    return super.shutdownAsync(quietPeriod, timeout, unit);
  }

  private Lanes lanes(NodePipeline main, RedisURI address, RedisCodec<?, ?> codec) {
    return new Lanes(
        main,
        () -> maxLanes,
        context.writes(),
        timer,
        () -> openLane(resources, address, null, codec, context, deadlines, getOptions()));
  }

  /**
   * Opens a connection with event loops of its own, and with the buffers that the codec wants.
   *
   * @param node the address of the node, if the server is one of a cluster
   */
  static Lanes.Opening openLane(
      ClientResources resources,
      RedisURI address,
      @Nullable Mono<SocketAddress> node,
      RedisCodec<?, ?> codec,
      ClientContext context,
      Deadlines deadlines,
      ClientOptions options) {
    CoalescingRedisClient client =
        new CoalescingRedisClient(
            resources,
            address,
            ChannelInstaller.forLane(resources),
            context,
            deadlines,
            true,
            node);
    client.setOptions(options);
    return new Lanes.Opening(
        client
            .connectAsync(codec, address)
            .thenApply(connection -> ((CoalescingConnection<?, ?>) connection).pipeline()),
        client::shutdownAsync);
  }

  @Override
  protected Mono<SocketAddress> getSocketAddress(RedisURI address) {
    return node == null ? super.getSocketAddress(address) : node;
  }

  @Override
  protected <K, V, T extends RedisChannelHandler<K, V>> ConnectionFuture<T> initializeChannelAsync(
      ConnectionBuilder connection) {
    installer.place(connection);
    return super.initializeChannelAsync(connection);
  }

  @Override
  protected <K, V> StatefulRedisConnectionImpl<K, V> newStatefulRedisConnection(
      RedisChannelWriter writer, PushHandler endpoint, RedisCodec<K, V> codec, Duration timeout) {
    NodeWriter coalescing =
        new NodeWriter(
            writer,
            context.withAtMostQueued(requestQueueSize),
            node != null,
            getOptions(),
            getCommandListeners());
    RedisURI address = connecting.get();
    Lanes lanes =
        address == null || maxLanes == 0 ? null : lanes(coalescing.pipeline(), address, codec);
    if (lanes != null) {
      coalescing.pipeline().setLanes(lanes);
    }
    return new CoalescingConnection<>(
        installer,
        coalescing,
        endpoint,
        codec,
        deadlines,
        // An address passed to connect has its own time-out.
        timeout.equals(uri.getTimeout()) ? context.commandTimeout() : timeout,
        getOptions(),
        lanes);
  }
}
