// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.benchmarks.servers.ServerKind;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson: buckets of strings. */
final class RedissonRival implements Rival {

  private final RedissonClient redisson;
  private final boolean cluster;

  RedissonRival(ServerKind kind, String uri, int threads) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    cluster = kind == ServerKind.CLUSTER;
    if (cluster) {
      config.useClusterServers().addNodeAddress(uri);
    } else {
      config.useSingleServer().setAddress(uri);
    }
    redisson = Redisson.create(config);
  }

  @Override
  public @Nullable String get(String key) {
    return redisson.<String>getBucket(key).get();
  }

  @Override
  public void set(String key, String value) {
    redisson.<String>getBucket(key).set(value);
  }

  @Override
  public @Nullable String[] getAll(String[] keys) {
    Map<String, String> found = redisson.getBuckets().get(keys);
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = found.get(keys[i]);
    }
    return values;
  }

  @Override
  public @Nullable String[] getEach(String[] keys) {
    return Futures.values(Futures.each(keys, key -> redisson.<String>getBucket(key).getAsync()));
  }

  @Override
  public void ping() {
    boolean answers =
        cluster
            ? redisson.getRedisNodes(RedisNodes.CLUSTER).pingAll(1, TimeUnit.SECONDS)
            : redisson.getRedisNodes(RedisNodes.SINGLE).pingAll(1, TimeUnit.SECONDS);
    if (!answers) {
      throw new IllegalStateException("The server did not answer a PING");
    }
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
