// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedClock;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.junit.EmbeddedRedis;
import io.lettuce.core.RedisCommandExecutionException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The example of a test: a server for each test, time that the test moves, and faults. */
@EmbeddedRedis(manualClock = true)
class CartTest {

  @Test
  void cart_isGoneAfterItsTime(EmbeddedServer server, EmbeddedClock clock) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.setAll(Map.of("cart:1", "apple"), Duration.ofHours(1));
      clock.advance(Duration.ofMinutes(59));
      assertThat(sheaf.sync().get("cart:1")).isEqualTo("apple");
      clock.advance(Duration.ofMinutes(1));
      assertThat(sheaf.sync().get("cart:1")).isNull();
    }
  }

  @Test
  void cart_ofAServerThatLoadsItsData_isAnError(EmbeddedServer server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      server.faults().loading(true);
      assertThatThrownBy(() -> sheaf.sync().get("cart:1"))
          .isInstanceOf(RedisCommandExecutionException.class)
          .hasMessageContaining("LOADING");
      server.faults().clear();
      assertThat(sheaf.sync().get("cart:1")).isNull();
    }
  }
}
