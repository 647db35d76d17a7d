// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.SlotHash;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The gauge of connections, where some cannot be opened. {@link LanesTest} has that of lanes. */
@Timeout(180)
class ConnectionsMeterTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double connections() {
    return registry.get("sheaf.connections").gauge().value();
  }

  @Test
  void clientThatCannotConnect_leavesNoConnection() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      server.nodes().get(0).kill();
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(
                () -> Sheaf.builder(server.uri()).meterRegistry(registry).connect().close())
            .isInstanceOf(RedisException.class);
      }
      assertThat(connections()).isZero();
      server.nodes().get(0).start();
      try (Sheaf<String, String> sheaf =
          Sheaf.builder(server.uri()).meterRegistry(registry).connect()) {
        assertThat(sheaf.sync().ping()).isEqualTo("PONG");
        assertThat(connections()).isEqualTo(1);
      }
      assertThat(connections()).as("after closing").isZero();
    }
  }

  @Test
  void nodeThatCannotBeReached_countsAtMostOnce_howeverManyAttemptsFail() {
    try (EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start()) {
      EmbeddedNode down = cluster.nodes().get(2);
      try (Sheaf<String, String> sheaf =
          Sheaf.builder(cluster.uri())
              .meterRegistry(registry)
              .commandTimeout(Duration.ofSeconds(1))
              .connectTimeout(Duration.ofSeconds(1))
              .connect()) {
        for (EmbeddedNode node : cluster.nodes().subList(0, 2)) {
          sheaf.sync().set(key(node), "value");
        }
        down.kill();
        String lost = key(down);
        for (int i = 0; i < 10; i++) {
          assertThatThrownBy(() -> sheaf.sync().get(lost))
              .isInstanceOfAny(RedisException.class, SheafException.class);
        }
        Await.until("no more than one for each node", PATIENCE, () -> connections() <= 3);
        down.start();
        Await.until("the node to answer", PATIENCE, () -> isThere(sheaf, lost));
        assertThat(connections()).isEqualTo(3);
      }
      assertThat(connections()).as("after closing").isZero();
    }
  }

  private static boolean isThere(Sheaf<String, String> sheaf, String key) {
    try {
      return sheaf.sync().get(key) == null;
    } catch (RedisException e) {
      return false;
    }
  }

  private static String key(EmbeddedNode node) {
    int i = 0;
    while (!node.slots().get(SlotHash.getSlot("key" + i))) {
      i++;
    }
    return "key" + i;
  }
}
