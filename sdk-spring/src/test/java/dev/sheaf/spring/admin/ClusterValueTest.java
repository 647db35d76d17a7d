// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.inspector.Inspection;
import dev.sheaf.inspector.InspectionLimits;
import io.lettuce.core.cluster.SlotHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterValueTest {

  @Test
  void keyOfEachNode_isReadThere() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        ValueReader reader =
            new ValueReader(InspectionLimits.defaults(), Duration.ofSeconds(5), 1);
        ClientState states = new ClientState()) {
      for (String key : List.of("a", "b", "c", "d")) {
        sheaf.sync().set(key, "x");

        Inspection found = reader.read(sheaf, key.getBytes(StandardCharsets.UTF_8));

        assertThat(found.slot()).isEqualTo(SlotHash.getSlot(key));
        // By this name a node that is DOWN is recognised.
        assertThat(sheaf.availability().nodes()).containsKey(found.node());
      }
      ClientState.Known known = states.of(sheaf);
      assertThat(known.cluster()).isTrue();
      assertThat(known.guard().nodes()).hasSize(3);
    }
  }
}
