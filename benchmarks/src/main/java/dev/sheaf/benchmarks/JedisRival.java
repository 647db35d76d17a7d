package dev.sheaf.benchmarks;

import java.util.List;
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

  JedisRival(ServerKind kind, String uri, int threads) {
    GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
    pool.setMaxTotal(threads);
    pool.setMaxIdle(threads);
    if (kind == ServerKind.CLUSTER) {
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
  public @Nullable String[] getMany(Way way, String[] keys) {
    return switch (way) {
      case MANY_KEY_CALL -> mget(keys);
      case PIPELINE -> pipeline(keys);
      default -> throw new UnsupportedOperationException("Jedis has no " + way);
    };
  }

  @Override
  public void ping() {
    jedis.ping();
  }

  private @Nullable String[] mget(String[] keys) {
    List<String> values = jedis.mget(keys);
    return values.toArray(new String[0]);
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private @Nullable String[] pipeline(String[] keys) {
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
  public void close() {
    jedis.close();
  }
}
