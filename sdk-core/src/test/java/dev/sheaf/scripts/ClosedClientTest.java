// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.EmbeddedServerBuilder;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scripts of a client that is closed. */
@Timeout(180)
class ClosedClientTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void register_saysThatTheClientIsClosed(int masters) {
    EmbeddedServerBuilder builder = EmbeddedServer.builder();
    try (EmbeddedServer server = (masters == 0 ? builder : builder.cluster(masters, 0)).start()) {
      Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
      Scripts<String, String> scripts = sheaf.scripts();
      sheaf.close();
      assertThatThrownBy(() -> scripts.register(Script.of("return 1").returns(ResultType.INTEGER)))
          .isInstanceOf(RedisException.class)
          .hasMessageContaining("could not be loaded")
          .hasMessageContaining("The connection is closed, because the client is");
    }
  }
}
