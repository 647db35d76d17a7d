// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.chaos;

import dev.sheaf.chaos.ChaosClient;
import dev.sheaf.chaos.ClusterChaos;
import dev.sheaf.chaos.SheafClient;
import glide.api.BaseClient;
import glide.api.GlideClient;
import glide.api.GlideClusterClient;
import glide.api.models.configuration.BaseClientConfiguration.BaseClientConfigurationBuilder;
import glide.api.models.configuration.GlideClientConfiguration;
import glide.api.models.configuration.GlideClusterClientConfiguration;
import glide.api.models.configuration.NodeAddress;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.builders.AbstractClientBuilder;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The clients that the chaos compares. All wait two seconds for a reply and read from primaries;
 * otherwise they keep their defaults.
 */
enum ChaosRival {
  SHEAF("Sheaf", (uri, cluster) -> new SheafClient(uri, ClusterChaos.TIMEOUT, true)),
  SHEAF_ALONE(
      "Sheaf without the guard",
      (uri, cluster) -> new SheafClient(uri, ClusterChaos.TIMEOUT, false)),
  LETTUCE("Lettuce", ChaosRival::lettuce),
  JEDIS("Jedis", ChaosRival::jedis),
  REDISSON("Redisson", ChaosRival::redisson),
  GLIDE("GLIDE", ChaosRival::glide);

  private static final int MILLIS = (int) ClusterChaos.TIMEOUT.toMillis();

  private final String title;
  private final Connector connector;

  ChaosRival(String title, Connector connector) {
    this.title = title;
    this.connector = connector;
  }

  /** What tables call it. */
  String title() {
    return title;
  }

  ChaosClient connect(String uri, boolean cluster) {
    try {
      return connector.connect(uri, cluster);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("No connection to " + uri, e);
    }
  }

  private interface Connector {
    ChaosClient connect(String uri, boolean cluster) throws Exception;
  }

  /** Commands that return futures; most clients have them. */
  private abstract static class Futures implements ChaosClient {

    /** Waits as long as the client lets its futures wait. */
    static <T> T value(Future<T> future) throws Exception {
      try {
        return future.get();
      } catch (ExecutionException e) {
        throw e.getCause() instanceof Exception cause ? cause : e;
      }
    }

    /** These do not tell an error of the last attempt from what an earlier one did. */
    @Override
    public boolean didNotRun(Exception failure) {
      return false;
    }
  }

  /** As its guide has it. */
  private static ChaosClient lettuce(String uri, boolean cluster) {
    RedisURI address = RedisURI.create(uri);
    address.setTimeout(ClusterChaos.TIMEOUT);
    AbstractRedisClient client;
    RedisClusterCommands<String, String> sync;
    RedisClusterAsyncCommands<String, String> async;
    if (cluster) {
      var clusterClient = io.lettuce.core.cluster.RedisClusterClient.create(address);
      client = clusterClient;
      var connection = clusterClient.connect();
      sync = connection.sync();
      async = connection.async();
    } else {
      var single = io.lettuce.core.RedisClient.create(address);
      client = single;
      var connection = single.connect();
      sync = connection.sync();
      async = connection.async();
    }
    return new ChaosClient() {
      @Override
      public long incr(String key) {
        return sync.incr(key);
      }

      @Override
      public void set(String key, String value) {
        sync.set(key, value);
      }

      @Override
      public String get(String key) {
        return sync.get(key);
      }

      @Override
      public List<String> getAll(List<String> keys) throws InterruptedException {
        List<Future<String>> futures = new ArrayList<>();
        keys.forEach(key -> futures.add(async.get(key)));
        List<String> values = new ArrayList<>();
        long end = System.nanoTime() + ClusterChaos.TIMEOUT.toNanos();
        for (Future<String> future : futures) {
          try {
            values.add(future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS));
          } catch (ExecutionException | TimeoutException e) {
            values.add(null);
          }
        }
        return values;
      }

      @Override
      public boolean didNotRun(Exception failure) {
        return failure instanceof RedisCommandExecutionException;
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }

  private static ChaosClient jedis(String uri, boolean cluster) {
    URI at = URI.create(uri);
    HostAndPort address = new HostAndPort(at.getHost(), at.getPort());
    var config = DefaultJedisClientConfig.builder().timeoutMillis(MILLIS).build();
    GenericObjectPoolConfig<Connection> pool = new GenericObjectPoolConfig<>();
    pool.setMaxTotal(ClusterChaos.THREADS);
    pool.setMaxIdle(ClusterChaos.THREADS);
    AbstractClientBuilder<?, ? extends UnifiedJedis> builder =
        cluster
            ? RedisClusterClient.builder().nodes(Set.of(address))
            : RedisClient.builder().hostAndPort(address);
    builder.clientConfig(config);
    builder.poolConfig(pool);
    UnifiedJedis jedis = builder.build();
    return new ChaosClient() {
      @Override
      public long incr(String key) {
        return jedis.incr(key);
      }

      @Override
      public void set(String key, String value) {
        jedis.set(key, value);
      }

      @Override
      public String get(String key) {
        return jedis.get(key);
      }

      @Override
      public List<String> getAll(List<String> keys) {
        List<Response<String>> replies = new ArrayList<>();
        try (var pipeline = jedis.pipelined()) {
          keys.forEach(key -> replies.add(pipeline.get(key)));
          pipeline.sync();
        }
        List<String> values = new ArrayList<>();
        for (Response<String> reply : replies) {
          try {
            values.add(reply.get());
          } catch (JedisDataException | IllegalStateException failed) {
            values.add(null);
          }
        }
        return values;
      }

      @Override
      public boolean didNotRun(Exception failure) {
        return failure instanceof JedisDataException;
      }

      @Override
      public void close() {
        jedis.close();
      }
    };
  }

  private static ChaosClient redisson(String uri, boolean cluster) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    if (cluster) {
      // Its default reads from replicas, which may be stale without any fault.
      config
          .useClusterServers()
          .addNodeAddress(uri)
          .setTimeout(MILLIS)
          .setReadMode(ReadMode.MASTER);
    } else {
      config.useSingleServer().setAddress(uri).setTimeout(MILLIS);
    }
    RedissonClient redisson = Redisson.create(config);
    return new Futures() {
      @Override
      public long incr(String key) {
        return redisson.getAtomicLong(key).incrementAndGet();
      }

      @Override
      public void set(String key, String value) {
        redisson.getBucket(key).set(value);
      }

      @Override
      public String get(String key) {
        return redisson.<String>getBucket(key).get();
      }

      @Override
      public List<String> getAll(List<String> keys) {
        Map<String, String> found =
            redisson.getBuckets().get(keys.stream().distinct().toArray(String[]::new));
        List<String> values = new ArrayList<>();
        keys.forEach(key -> values.add(found.get(key)));
        return values;
      }

      @Override
      public void close() {
        redisson.shutdown();
      }
    };
  }

  private static ChaosClient glide(String uri, boolean cluster) throws Exception {
    URI at = URI.create(uri);
    NodeAddress address = NodeAddress.builder().host(at.getHost()).port(at.getPort()).build();
    var ofCluster = GlideClusterClientConfiguration.builder();
    var ofServer = GlideClientConfiguration.builder();
    BaseClientConfigurationBuilder<?, ?> chosen = cluster ? ofCluster : ofServer;
    chosen.address(address);
    chosen.requestTimeout(MILLIS);
    BaseClient glide =
        cluster
            ? Futures.value(GlideClusterClient.createClient(ofCluster.build()))
            : Futures.value(GlideClient.createClient(ofServer.build()));
    return new Futures() {
      @Override
      public long incr(String key) throws Exception {
        return value(glide.incr(key));
      }

      @Override
      public void set(String key, String value) throws Exception {
        value(glide.set(key, value));
      }

      @Override
      public String get(String key) throws Exception {
        return value(glide.get(key));
      }

      @Override
      public List<String> getAll(List<String> keys) throws Exception {
        return Arrays.asList(value(glide.mget(keys.toArray(new String[0]))));
      }

      @Override
      public void close() {
        try {
          glide.close();
        } catch (ExecutionException e) {
          throw new IllegalStateException("GLIDE could not be closed", e);
        }
      }
    };
  }
}
