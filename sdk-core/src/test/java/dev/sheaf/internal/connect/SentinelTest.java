// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.internal.common.Uris;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A primary that a Sentinel names. */
class SentinelTest {

  @Test
  void clientOfASentinel_readsFromThePrimaryAndWatchesIt() {
    try (EmbeddedServer server = EmbeddedServer.builder().replicas(1).sentinel("shop").start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.sentinelUri())) {
      sheaf.sync().set("key", "value");
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
      assertThat(sheaf.availability().withTimeout(Duration.ofSeconds(5)).ping()).isPositive();
    }
  }

  @Test
  void aCopyOfAUri_hasAllOfItsSentinels() {
    RedisURI uri =
        RedisURI.Builder.sentinel("one.example", 26379, "shop")
            .withSentinel("two.example", 26380)
            .build();
    RedisURI copy = Uris.withTimeout(uri, Duration.ofSeconds(7));
    assertThat(copy.getTimeout()).isEqualTo(Duration.ofSeconds(7));
    assertThat(copy.getSentinelMasterId()).isEqualTo("shop");
    assertThat(copy.getSentinels()).hasSize(2).isEqualTo(uri.getSentinels());
  }
}
