// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.RedisChannelHandler;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class YieldingTest {

  @Test
  void threadsThatDrive_yieldOnlyIfTheApplicationChoseIt() {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> usual = Sheaf.connect(server.uri());
        Sheaf<String, String> yielding = Sheaf.builder(server.uri()).yielding(true).connect()) {
      assertThat(pipelineOf(usual).yields()).isZero();
      assertThat(pipelineOf(yielding).yields()).isEqualTo(ClientContext.YIELDS);

      yielding.sync().set("key", "value");
      assertThat(yielding.sync().get("key")).isEqualTo("value");
      assertThat(yielding.getAll(List.of("key", "none")).get("key").orNull()).isEqualTo("value");
    }
  }

  private static NodePipeline pipelineOf(Sheaf<?, ?> sheaf) {
    var connection = (RedisChannelHandler<?, ?>) sheaf.standalone();
    return ((NodeWriter) connection.getChannelWriter()).pipeline();
  }
}
