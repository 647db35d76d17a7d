// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CommandLogTest {

  private final EmbeddedServer server = EmbeddedServer.start();
  private final CommandLog log = server.log();

  @BeforeEach
  void send() {
    log.start();
    try (RedisClient client = RedisClient.create(server.uri())) {
      client.connect().sync().mget("a", "b");
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void assertRan_theWholeCommand_passes() {
    log.assertRan("MGET", "a", "b");
    log.assertRan("mget", "a", "b");
  }

  @Test
  void assertRan_anotherCommand_saysWhatRanInstead() {
    assertThatThrownBy(() -> log.assertRan("MGET", "a"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("'MGET a' did not run")
        .hasMessageContaining("MGET a b");
    assertThatThrownBy(() -> log.assertRan("MGET", "a", "B")).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> log.assertRan("GET", "a", "b")).isInstanceOf(AssertionError.class);
  }

  @Test
  void assertRan_noWords_saysWhatItNeeds() {
    assertThatThrownBy(log::assertRan)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs the words of a command");
    assertThat(log.count("mget")).isEqualTo(1);
  }
}
