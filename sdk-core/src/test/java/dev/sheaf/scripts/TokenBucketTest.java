// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedClock;
import dev.sheaf.embedded.EmbeddedServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bucket against a model, while a clock moves that nobody but the test moves. */
class TokenBucketTest {

  @Test
  void bucket_doesWhatTheModelDoes() {
    EmbeddedClock clock = EmbeddedClock.manual(Instant.parse("2030-01-01T00:00:00Z"));
    Random random = new Random(3);
    try (EmbeddedServer server = EmbeddedServer.builder().clock(clock).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> take = sheaf.scripts().register(ScriptLibrary.TOKEN_BUCKET);
      double[] rates = {0.5, 1, 3, 250};
      for (double rate : rates) {
        Model model = new Model(20, rate);
        String key = "bucket:" + rate;
        for (int i = 0; i < 500; i++) {
          int millis = random.nextInt(10) == 0 ? random.nextInt(60_000) : random.nextInt(1_500);
          clock.advance(Duration.ofMillis(millis));
          int wanted = random.nextInt(21);
          assertThat(take.call(List.of(key), 20, rate, wanted))
              .as("step %d at rate %s", i, rate)
              .isEqualTo(model.take(clock.millis(), wanted));
        }
        clock.advance(Duration.ofMinutes(2));
        assertThat(sheaf.sync().exists(key)).as("a full bucket expires").isZero();
      }
    }
  }

  private static final class Model {
    private final double capacity;
    private final double perSecond;
    private double tokens;
    private long at;

    Model(double capacity, double perSecond) {
      this.capacity = capacity;
      this.perSecond = perSecond;
      this.tokens = capacity;
    }

    long take(long now, int wanted) {
      if (at != 0) {
        tokens = Math.min(capacity, tokens + (now - at) * perSecond / 1000);
      }
      at = now;
      if (tokens >= wanted) {
        tokens -= wanted;
        return 0;
      }
      return (long) Math.max(1, Math.ceil((wanted - tokens) * 1000 / perSecond));
    }
  }
}
