// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RealRedisClusterIT {
  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void start_servesAllSlotsFromItsPrimaries() {
    try (RealRedisCluster cluster = RealRedisCluster.start();
        RedisClusterClient client = RedisClusterClient.create(cluster.uri());
        StatefulRedisClusterConnection<String, String> connection = client.connect()) {
      RedisClusterCommands<String, String> commands = connection.sync();
      for (int i = 0; i < 300; i++) {
        commands.set("k" + i, "v" + i);
      }
      for (int i = 0; i < 300; i++) {
        assertThat(commands.get("k" + i)).isEqualTo("v" + i);
      }
      assertThat(cluster.primaries())
          .hasSize(3)
          .allSatisfy(node -> assertThat((Long) node.command("DBSIZE")).isBetween(50L, 150L));
      assertThat(cluster.replicas())
          .hasSize(3)
          .allSatisfy(node -> assertThat(role(node)).isEqualTo("slave"));
    }
  }

  @Test
  void killedPrimary_itsReplicaTakesOver() {
    try (RealRedisCluster cluster =
        RealRedisCluster.builder().nodeTimeout(Duration.ofMillis(500)).start()) {
      RealRedis primary = cluster.primaries().get(0);
      RealRedis replica = cluster.replicas().get(0);
      primary.kill();
      Await.until("the failover", Duration.ofSeconds(20), () -> role(replica).equals("master"));

      primary.restart();
      cluster.awaitOk();
      assertThat(role(primary)).isEqualTo("slave");
    }
  }

  @Test
  void stop_leavesNoProcess() {
    RealRedisCluster cluster = RealRedisCluster.builder().primaries(2).replicas(0).start();
    assertThat(cluster.nodes()).hasSize(2).allMatch(RealRedis::isAlive);
    cluster.stop();
    assertThat(cluster.nodes()).noneMatch(node -> ProcessHandle.of(node.pid()).isPresent());
  }

  private static String role(RealRedis node) {
    try (RespConnection connection = node.connect()) {
      return String.valueOf(connection.list("ROLE").get(0));
    }
  }
}
