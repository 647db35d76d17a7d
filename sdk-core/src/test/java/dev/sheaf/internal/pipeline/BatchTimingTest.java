// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.pipeline.NodeChannel.BatchTiming;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** When the next batch leaves: never later because a reply is on its way. */
@Timeout(180)
class BatchTimingTest {

  private static final int ENOUGH_TO_LEARN_THE_DISTANCE = 600;

  @Test
  void batchInFlight_doesNotKeepTheNextCommandsFromTheServer() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      sheaf.sync().set("key", "value");
      for (int i = 0; i < ENOUGH_TO_LEARN_THE_DISTANCE; i++) {
        sheaf.sync().get("key");
      }
      List<String> page = IntStream.range(0, 20).mapToObj(i -> "page" + i).toList();
      proxy.delay(Duration.ofSeconds(2));
      CompletableFuture<Map<String, Result<String>>> first = sheaf.getAllAsync(page);
      long before = server.stats().count("strlen");
      RedisFuture<Long> second = sheaf.async().strlen("key");
      Await.until(
          "the second command is at the server",
          Duration.ofSeconds(10),
          () -> server.stats().count("strlen") > before);
      assertThat(first.isDone()).as("the reply to the first is still on its way").isFalse();
      proxy.delay(Duration.ZERO);
      assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo(5);
      assertThat(first.get(20, TimeUnit.SECONDS)).hasSize(20);
    }
  }

  @Test
  void distance_isFarUntilItIsKnown() {
    BatchTiming timing = new BatchTiming();
    assertThat(timing.decide()).isTrue();
    timing.observe(TimeUnit.MICROSECONDS.toNanos(50));
    assertThat(timing.decide()).isFalse();
  }

  @Test
  void distance_goesByTheShortestRoundTripOfLate() {
    BatchTiming timing = new BatchTiming();
    timing.observe(TimeUnit.MICROSECONDS.toNanos(50));
    for (int i = 0; i < 510; i++) {
      timing.observe(TimeUnit.MILLISECONDS.toNanos(2));
      assertThat(timing.decide()).as("it was near a moment ago").isFalse();
    }
    timing.observe(TimeUnit.MILLISECONDS.toNanos(2));
    assertThat(timing.decide()).as("the server has moved away").isTrue();
  }
}
