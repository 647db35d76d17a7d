// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.benchmarks.servers.ServerKind;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Lettuce with one connection that all threads share, as its documentation advises. */
public final class LettuceRival implements Rival {

  private final ClientResources resources = ClientResources.create();
  private final AbstractRedisClient client;
  private final RedisClusterCommands<String, String> sync;
  private final RedisClusterAsyncCommands<String, String> async;

  /** Connects. The number of threads does not matter. */
  public LettuceRival(ServerKind kind, String uri, int threads) {
    if (kind == ServerKind.CLUSTER) {
      RedisClusterClient cluster = RedisClusterClient.create(resources, uri);
      StatefulRedisClusterConnection<String, String> shared = cluster.connect();
      client = cluster;
      sync = shared.sync();
      async = shared.async();
    } else {
      RedisClient single = RedisClient.create(resources, uri);
      StatefulRedisConnection<String, String> shared = single.connect();
      client = single;
      sync = shared.sync();
      async = shared.async();
    }
  }

  /** Returns its blocking commands. */
  public RedisClusterCommands<String, String> sync() {
    return sync;
  }

  /** Returns its commands that return futures. */
  public RedisClusterAsyncCommands<String, String> async() {
    return async;
  }

  @Override
  public @Nullable String get(String key) {
    return sync.get(key);
  }

  @Override
  public void set(String key, String value) {
    sync.set(key, value);
  }

  @Override
  public @Nullable String[] getAll(String[] keys) {
    List<KeyValue<String, String>> found = sync.mget(keys);
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = found.get(i).getValueOrElse(null);
    }
    return values;
  }

  @Override
  public @Nullable String[] getEach(String[] keys) {
    return Futures.values(Futures.each(keys, async::get));
  }

  @Override
  public void ping() {
    sync.ping();
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(4_000);
  }
}
