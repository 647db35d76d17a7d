// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.healing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.Relay;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Replies in which random bytes are replaced: every command ends, and after the connection was lost
 * the client reads what is there. {@code -Dsheaf.fuzz.replies=1000} sets how many replies are
 * spoiled, {@code -Dsheaf.fuzz.seed} how.
 */
@Timeout(600)
class GarbledRepliesTest {

  private static final int ROUNDS = Integer.getInteger("sheaf.fuzz.replies", 30);
  private static final long SEED = Long.getLong("sheaf.fuzz.seed", 1);
  private static final int COMMANDS = 20;

  @Test
  void everyCommandEnds_andTheClientWorksAfterwards() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Relay relay = new Relay(server.port());
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + relay.port())
                .commandTimeout(Duration.ofMillis(500))
                .connect()) {
      sheaf.sync().set("key", "value");
      sheaf.sync().rpush("list", "a", "b", "c");
      for (int round = 0; round < ROUNDS; round++) {
        relay.garbleNext(new Random(SEED + round));
        List<RedisFuture<?>> replies = new ArrayList<>();
        for (int i = 0; i < COMMANDS; i++) {
          replies.add(sheaf.async().get("key"));
          replies.add(sheaf.async().lrange("list", 0, -1));
          replies.add(sheaf.async().hgetall("none"));
        }
        for (RedisFuture<?> reply : replies) {
          assertThat(ends(reply)).as("a command ends; seed %s", SEED + round).isTrue();
        }
        server.nodes().get(0).restart();
        Await.until(
            "the client to work, seed " + (SEED + round),
            Duration.ofSeconds(60),
            () -> "value".equals(sheaf.sync().get("key")));
        assertThat(sheaf.sync().lrange("list", 0, -1)).containsExactly("a", "b", "c");
      }
    }
  }

  private static boolean ends(RedisFuture<?> reply) throws InterruptedException {
    try {
      reply.get(60, TimeUnit.SECONDS);
    } catch (ExecutionException failed) {
      // An error is an end.
    } catch (java.util.concurrent.TimeoutException e) {
      return false;
    }
    return true;
  }
}
