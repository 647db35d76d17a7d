// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.healing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** How many connections a client opens to a cluster of many nodes. */
class ScalingGuideTest {

  private static final int NODES = 30;
  private static final int ASKED = 10;

  static ClusterClientOptions askingSeeds() {
    return ClusterClientOptions.builder()
        .topologyRefreshOptions(
            ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(false).build())
        .build();
  }

  private static long connectionsOfAStart(
      int nodes, UnaryOperator<SheafBuilder<String, String>> options) {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(nodes, 0).start();
        Sheaf<String, String> sheaf = options.apply(Sheaf.builder(server.uri())).connect()) {
      sheaf.sync().set("key", "value");
      return server.stats().connectionsReceived() - nodes;
    }
  }

  /** Beside one to each node for commands: one that finds out what the server is, and the looks. */
  @Test
  void start_asksTheSeedAndAFewNodes() {
    long least = connectionsOfAStart(NODES, builder -> builder.clientOptions(askingSeeds()));
    assertThat(connectionsOfAStart(NODES, builder -> builder)).isEqualTo(least + ASKED);
    assertThat(connectionsOfAStart(NODES, builder -> builder.topologySources(3)))
        .isEqualTo(least + 3);
    assertThat(connectionsOfAStart(NODES, builder -> builder.topologySources(NODES)))
        .isEqualTo(least + NODES);
    assertThat(connectionsOfAStart(ASKED, builder -> builder)).isEqualTo(least + ASKED);
  }

  private static BatchingClient client(EmbeddedNode seed, ClientResources resources) {
    return Sheaf.builder(seed.uri()).clientResources(resources).clusterClient();
  }

  @Test
  void lookAtTheTopology_asksAFewNodes_andFindsAMovedSlot() {
    ClientResources resources = ClientResources.create();
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(NODES, 0).start();
        BatchingClient client = client(server.nodes().get(0), resources)) {
      RedisClusterClient lettuce = (RedisClusterClient) client.lettuce();
      lettuce.refreshPartitions();
      EmbeddedNode from = server.nodes().get(0);
      EmbeddedNode to = server.nodes().get(1);
      int slot = from.slots().nextSetBit(0);
      server.migrateSlot(slot, from, to);
      long before = server.stats().connectionsReceived();
      lettuce.refreshPartitions();
      assertThat(lettuce.getPartitions().getPartitionBySlot(slot).getUri().getPort())
          .isEqualTo(to.port());
      assertThat(server.stats().connectionsReceived() - before).isEqualTo(ASKED);
      lettuce.shutdown(0, 10, TimeUnit.SECONDS);
    } finally {
      resources.shutdown(0, 10, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  /** The seed is gone, and so are some of those that are drawn. */
  @Test
  void lookWithNodesAway_asksTheOthers() {
    ClientResources resources = ClientResources.create();
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(NODES, 0).start();
        BatchingClient client = client(server.nodes().get(0), resources)) {
      RedisClusterClient lettuce = (RedisClusterClient) client.lettuce();
      lettuce.refreshPartitions();
      server.nodes().subList(0, NODES / 2).forEach(EmbeddedNode::kill);
      Await.until(
          "a look that sees who is gone",
          Duration.ofSeconds(60),
          () -> {
            lettuce.refreshPartitions();
            return lettuce.getPartitions().stream().filter(node -> node.is(NodeFlag.FAIL)).count()
                == NODES / 2;
          });
      lettuce.shutdown(0, 10, TimeUnit.SECONDS);
    } finally {
      resources.shutdown(0, 10, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @Test
  void lessThanOneNode_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sheaf.builder("redis://localhost").topologySources(0))
        .withMessageContaining("topologySources must be at least 1, but was 0");
  }
}
