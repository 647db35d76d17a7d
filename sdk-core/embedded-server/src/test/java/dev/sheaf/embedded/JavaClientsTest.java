// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;

/** Lettuce and Jedis do their daily work, standalone and in a cluster, in RESP2 and RESP3. */
class JavaClientsTest {
  private static EmbeddedServer single;
  private static EmbeddedServer cluster;

  @BeforeAll
  static void start() {
    single = EmbeddedServer.start();
    cluster = EmbeddedServer.builder().cluster(3, 0).start();
  }

  @AfterAll
  static void stop() {
    single.close();
    cluster.close();
  }

  private static void work(UnifiedJedis jedis) {
    jedis.set("{a}k", "v");
    assertThat(jedis.get("{a}k")).isEqualTo("v");
    jedis.hset("{a}h", Map.of("f", "1", "g", "x"));
    assertThat(jedis.hgetAll("{a}h")).isEqualTo(Map.of("f", "1", "g", "x"));
    jedis.zadd("{a}z", 1.5, "m");
    assertThat(jedis.zscore("{a}z", "m")).isEqualTo(1.5);
    jedis.sadd("{a}s", "a", "b");
    assertThat(jedis.smembers("{a}s")).isEqualTo(Set.of("a", "b"));
    jedis.pfadd("{a}p", "x", "y");
    assertThat(jedis.pfcount("{a}p")).isEqualTo(2);
    assertThat(jedis.eval("return redis.call('GET',KEYS[1])", 1, "{a}k")).isEqualTo("v");
  }

  private static void work(RedisClusterCommands<String, String> redis) {
    redis.set("{a}k", "v");
    assertThat(redis.get("{a}k")).isEqualTo("v");
    redis.hset("{a}h", Map.of("f", "1", "g", "x"));
    assertThat(redis.hgetall("{a}h")).isEqualTo(Map.of("f", "1", "g", "x"));
    redis.zadd("{a}z", 1.5, "m");
    assertThat(redis.zscore("{a}z", "m")).isEqualTo(1.5);
    redis.sadd("{a}s", "a", "b");
    assertThat(redis.smembers("{a}s")).isEqualTo(Set.of("a", "b"));
    redis.pfadd("{a}p", "x", "y");
    assertThat(redis.pfcount("{a}p")).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void jedis_works(RedisProtocol protocol) {
    var config = DefaultJedisClientConfig.builder().protocol(protocol).build();
    try (UnifiedJedis jedis =
            redis.clients.jedis.RedisClient.builder()
                .hostAndPort("127.0.0.1", single.port())
                .clientConfig(config)
                .build();
        UnifiedJedis sharded =
            redis.clients.jedis.RedisClusterClient.builder()
                .nodes(Set.of(new HostAndPort("127.0.0.1", cluster.port())))
                .clientConfig(config)
                .build()) {
      work(jedis);
      work(sharded);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = ProtocolVersion.class,
      names = {"RESP2", "RESP3"})
  void lettuce_works(ProtocolVersion protocol) {
    try (RedisClient client = RedisClient.create(single.uri());
        RedisClusterClient sharded = RedisClusterClient.create(RedisURI.create(cluster.uri()))) {
      client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
      sharded.setOptions(ClusterClientOptions.builder().protocolVersion(protocol).build());
      work(client.connect().sync());
      work(sharded.connect().sync());
    }
  }
}
