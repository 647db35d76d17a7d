package dev.sheaf.healing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import org.junit.jupiter.api.Test;

/** What the guide advises for clusters of many nodes keeps what it promises. */
class ScalingGuideTest {

  private static final int NODES = 30;

  static ClusterClientOptions askingSeeds() {
    return ClusterClientOptions.builder()
        .topologyRefreshOptions(
            ClusterTopologyRefreshOptions.builder().dynamicRefreshSources(false).build())
        .build();
  }

  private static long connectionsOfAStart(boolean seeds) {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(NODES, 0).start()) {
      SheafBuilder<String, String> builder = Sheaf.builder(server.uri());
      try (Sheaf<String, String> sheaf =
          (seeds ? builder.clientOptions(askingSeeds()) : builder).connect()) {
        sheaf.sync().set("key", "value");
        return server.stats().connectionsReceived();
      }
    }
  }

  @Test
  void clientThatAsksItsSeeds_connectsToEveryNodeForCommandsAlone() {
    assertThat(connectionsOfAStart(false)).isGreaterThanOrEqualTo(2 * NODES);
    assertThat(connectionsOfAStart(true)).isBetween((long) NODES, 2L * NODES - 1);
  }
}
