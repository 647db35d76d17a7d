// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.List;

class ServerUnderTestContractTest {
  @ForEachServer
  void uri_reachesTheServer(ServerUnderTest server) {
    if (server.isCluster()) {
      try (RedisClusterClient client = RedisClusterClient.create(server.uri());
          StatefulRedisClusterConnection<String, String> connection = client.connect()) {
        RedisClusterCommands<String, String> commands = connection.sync();
        commands.set("a", "1");
        commands.set("b", "2");
        assertThat(commands.get("a") + commands.get("b")).isEqualTo("12");
      }
    } else {
      try (RedisClient client = RedisClient.create(server.uri());
          StatefulRedisConnection<String, String> connection = client.connect()) {
        RedisCommands<String, String> commands = connection.sync();
        commands.set("a", "1");
        assertThat(commands.get("a")).isEqualTo("1");
      }
    }
  }

  @ForEachServer
  void nodes_areOneOrThreePrimariesWithAReplicaEach(ServerUnderTest server) {
    assertThat(server.nodes()).hasSize(server.isCluster() ? 6 : 1);
    assertThat(server.primaries()).hasSize(server.isCluster() ? 3 : 1);
  }

  @ForEachServer
  void flush_removesDataAndStatistics(ServerUnderTest server) {
    String key = ownKey(server);
    assertThat(server.command("GET", key)).isEqualTo("v");

    server.flush();
    assertThat(server.command("GET", key)).isNull();
    assertThat(server.commandCalls()).doesNotContainKey("set").containsEntry("get", 1L);
  }

  @ForEachServer
  void flush_removesScriptsFromAllNodes(ServerUnderTest server) {
    String sha = String.valueOf(server.command("SCRIPT", "LOAD", "return 1"));
    for (ServerUnderTest.Node node : server.nodes()) {
      server.command(node, "SCRIPT", "LOAD", "return 1");
      assertThat(server.command(node, "SCRIPT", "EXISTS", sha)).isEqualTo(List.of(1L));
    }

    server.flush();
    for (ServerUnderTest.Node node : server.nodes()) {
      assertThat(server.command(node, "SCRIPT", "EXISTS", sha)).isEqualTo(List.of(0L));
    }
  }

  @ForEachServer
  void commandCalls_countsWhatThePrimariesRan(ServerUnderTest server) {
    String key = ownKey(server);
    for (int i = 0; i < 3; i++) {
      server.command("GET", key);
    }
    assertThat(server.commandCalls()).containsEntry("get", 3L);
    assertThat(server.commandCalls(server.nodes().get(0))).containsEntry("get", 3L);
  }

  @ForEachServer(on = Topology.CLUSTER)
  void onCluster_runsOnClustersOnly(ServerUnderTest server) {
    assertThat(server.isCluster()).isTrue();
  }

  @ForEachServer(on = Topology.STANDALONE)
  void onStandalone_runsOnStandaloneServersOnly(ServerUnderTest server) {
    assertThat(server.isCluster()).isFalse();
  }

  /** A key that the first node serves. */
  private static String ownKey(ServerUnderTest server) {
    for (int i = 0; true; i++) {
      try {
        server.command("SET", "k" + i, "v");
        return "k" + i;
      } catch (RespConnection.ErrorReply e) {
        assertThat(e).hasMessageStartingWith("MOVED ");
      }
    }
  }
}
