package dev.sheaf.benchmarks;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.handler.flush.FlushConsolidationHandler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce: one shared connection, and a second one for the pipeline, because holding back flushes
 * concerns all users of a connection.
 */
final class LettuceRival implements Rival {

  private static final int FLUSHES_TO_MERGE = 256;

  private final ClientResources resources;
  private final AbstractRedisClient client;
  private final RedisClusterCommands<String, String> sync;
  private final RedisClusterAsyncCommands<String, String> async;
  private final StatefulConnection<String, String> heldBack;
  private final RedisClusterAsyncCommands<String, String> heldBackAsync;

  private LettuceRival(ServerKind kind, String uri, ClientResources resources) {
    this.resources = resources;
    if (kind == ServerKind.CLUSTER) {
      RedisClusterClient cluster = RedisClusterClient.create(resources, uri);
      StatefulRedisClusterConnection<String, String> shared = cluster.connect();
      StatefulRedisClusterConnection<String, String> second = cluster.connect();
      client = cluster;
      sync = shared.sync();
      async = shared.async();
      heldBack = second;
      heldBackAsync = second.async();
    } else {
      RedisClient single = RedisClient.create(resources, uri);
      StatefulRedisConnection<String, String> shared = single.connect();
      StatefulRedisConnection<String, String> second = single.connect();
      client = single;
      sync = shared.sync();
      async = shared.async();
      heldBack = second;
      heldBackAsync = second.async();
    }
    // Opens the connections to all nodes before these wait for a flush.
    for (int i = 0; i < 100; i++) {
      heldBackAsync.get(Dataset.key(i)).toCompletableFuture().join();
    }
    heldBack.setAutoFlushCommands(false);
  }

  static Rival plain(ServerKind kind, String uri, int threads) {
    return new LettuceRival(kind, uri, ClientResources.create());
  }

  static Rival consolidatingFlushes(ServerKind kind, String uri, int threads) {
    NettyCustomizer customizer =
        new NettyCustomizer() {
          @Override
          public void afterChannelInitialized(Channel channel) {
            channel.pipeline().addFirst(new FlushConsolidationHandler(FLUSHES_TO_MERGE, true));
          }
        };
    return new LettuceRival(
        kind, uri, ClientResources.builder().nettyCustomizer(customizer).build());
  }

  @Override
  public @Nullable String get(String key) {
    return sync.get(key);
  }

  @Override
  public @Nullable String[] getMany(Way way, String[] keys) {
    return switch (way) {
      case MANY_KEY_CALL -> mget(keys);
      case FUTURES -> Futures.values(Futures.each(keys, async::get));
      case PIPELINE -> {
        Future<String>[] replies = Futures.each(keys, heldBackAsync::get);
        heldBack.flushCommands();
        yield Futures.values(replies);
      }
      default -> throw new UnsupportedOperationException("Lettuce has no " + way);
    };
  }

  @Override
  public void ping() {
    sync.ping();
  }

  private @Nullable String[] mget(String[] keys) {
    List<KeyValue<String, String>> found = sync.mget(keys);
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = found.get(i).getValueOrElse(null);
    }
    return values;
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(4_000);
  }
}
