// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.util.Set;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Connection;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

/** Jedis: its pooled client, or its cluster client with such a pool for each node. */
final class JedisRival implements Rival {

  private final UnifiedJedis jedis;
  private final boolean cluster;

  JedisRival(ServerKind kind, String uri, int threads) {
    GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
    pool.setMaxTotal(threads);
    pool.setMaxIdle(threads);
    cluster = kind == ServerKind.CLUSTER;
    if (cluster) {
      Set<HostAndPort> seeds = Set.of(Servers.address(uri));
      jedis = RedisClusterClient.builder().nodes(seeds).poolConfig(pool).build();
    } else {
      jedis = RedisClient.builder().hostAndPort(Servers.address(uri)).poolConfig(pool).build();
    }
  }

  @Override
  public @Nullable String get(String key) {
    return jedis.get(key);
  }

  @Override
  public void set(String key, String value) {
    jedis.set(key, value);
  }

  /** On a cluster the pipeline, as Jedis has no MGET over several slots. */
  @Override
  public @Nullable String[] getAll(String[] keys) {
    return cluster ? getEach(keys) : jedis.mget(keys).toArray(new String[0]);
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public @Nullable String[] getEach(String[] keys) {
    Response<String>[] replies = new Response[keys.length];
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (int i = 0; i < keys.length; i++) {
        replies[i] = pipeline.get(keys[i]);
      }
      pipeline.sync();
    }
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = replies[i].get();
    }
    return values;
  }

  @Override
  public void ping() {
    jedis.ping();
  }

  @Override
  public void close() {
    jedis.close();
  }
}
