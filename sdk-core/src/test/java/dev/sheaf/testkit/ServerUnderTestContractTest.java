package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.List;

class ServerUnderTestContractTest {
  @ForEachServer
  void uri_reachesTheServer(ServerUnderTest server) {
    if (server.isCluster()) {
      try (RedisClusterClient client = RedisClusterClient.create(server.uri())) {
        RedisClusterCommands<String, String> commands = client.connect().sync();
        commands.set("a", "1");
        commands.set("b", "2");
        assertThat(commands.get("a") + commands.get("b")).isEqualTo("12");
      }
    } else {
      try (RedisClient client = RedisClient.create(server.uri())) {
        RedisCommands<String, String> commands = client.connect().sync();
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
  void flush_removesDataAndScriptsAndStatistics(ServerUnderTest server) {
    String key = ownKey(server);
    server.command("SET", key, "v");
    String sha = String.valueOf(server.command("SCRIPT", "LOAD", "return 1"));
    assertThat(server.command("EXISTS", key)).isEqualTo(1L);

    server.flush();
    assertThat(server.command("EXISTS", key)).isEqualTo(0L);
    assertThat(server.command("SCRIPT", "EXISTS", sha)).isEqualTo(List.of(0L));
    assertThat(server.commandCalls()).doesNotContainKey("set").containsEntry("exists", 1L);
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
    if (!server.isCluster()) {
      return "k";
    }
    for (int i = 0; true; i++) {
      Object slot = server.command("CLUSTER", "KEYSLOT", "k" + i);
      if (slot instanceof Long number && number < 5000) {
        return "k" + i;
      }
    }
  }
}
