// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.command.RequestEncoder;
import dev.sheaf.internal.connect.ConnectedServer;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ReadRouterTest {

  /** Lettuce, which has no routes then either, tells the reads that the connection is closed. */
  @Test
  void closedBetweenASnapshotAndARead_leavesTheReadToLettuce() {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        RedisClusterClient client = RedisClusterClient.create(server.uri())) {
      Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
      ReadRouter<String, String> router =
          new ReadRouter<>(ConnectedServer.of(sheaf.cluster(), client), StringCodec.UTF8, null);
      EncodedCommand<?, ?, ?> read =
          EncodedCommand.encode(
              RequestEncoder.newGet("a", new ValueOutput<>(StringCodec.UTF8), StringCodec.UTF8),
              true);
      assertThat(router.routes().of(read)).isNotNull();

      ReadRouter.Routes<String, String> before = router.routes();
      sheaf.close();

      assertThat(before.of(read)).isNull();
    }
  }
}
