// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.pipeline.NodeChannel.BatchTiming;
import dev.sheaf.internal.pipeline.NodeChannel.BatchTiming.Moment;
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

/** A batch may be held for a reply that is near. If the reply is not near after all, it goes. */
@Timeout(180)
class HeldBatchTest {

  private static final int ENOUGH_TO_LEARN_THE_DISTANCE = 600;

  @Test
  void replyThatIsLateOnce_doesNotKeepTheNextCommandsFromTheServer() throws Exception {
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
  void nearness_goesByTheLastRoundTrip_soThatABusyServerIsNotWaitedFor() {
    BatchTiming timing = new BatchTiming();
    assertThat(timing.decide(1, 2)).as("nothing is known").isNotEqualTo(Moment.WITH_A_REPLY);
    timing.observe(TimeUnit.MICROSECONDS.toNanos(50), 1);
    assertThat(timing.decide(1, 2)).isEqualTo(Moment.WITH_A_REPLY);
    timing.observe(TimeUnit.MILLISECONDS.toNanos(2), 1);
    assertThat(timing.decide(1, 2)).as("the server has much to do").isEqualTo(Moment.NEXT_TURN);
    timing.observe(TimeUnit.MICROSECONDS.toNanos(500), 400);
    assertThat(timing.decide(1, 2))
        .as("it answered 400 commands in that time")
        .isEqualTo(Moment.WITH_A_REPLY);
  }

  @Test
  void batch_isHeldOnlyWhileMoreIsInFlightThanQueued_andNotAfterAStall() {
    BatchTiming timing = new BatchTiming();
    timing.observe(TimeUnit.MICROSECONDS.toNanos(50), 1);
    assertThat(timing.decide(2, 3)).isEqualTo(Moment.WITH_A_REPLY);
    assertThat(timing.decide(2, 2)).isEqualTo(Moment.NEXT_TURN);
    assertThat(timing.decide(0, 0)).isEqualTo(Moment.NEXT_TURN);
    timing.stalled();
    assertThat(timing.decide(2, 3)).as("the reply is overdue").isEqualTo(Moment.NEXT_TURN);
    timing.observe(TimeUnit.MICROSECONDS.toNanos(50), 1);
    assertThat(timing.decide(2, 3)).as("replies come again").isEqualTo(Moment.WITH_A_REPLY);
  }

  @Test
  void largeBatchOfADistantServer_doesNotMakeItNear() {
    BatchTiming timing = new BatchTiming();
    timing.observe(TimeUnit.MILLISECONDS.toNanos(2), 8_192);
    assertThat(timing.decide(1, 2)).isEqualTo(Moment.AMID_REPLIES);
  }

  @Test
  void distance_goesByTheShortestRoundTripOfLate() {
    BatchTiming timing = new BatchTiming();
    timing.observe(TimeUnit.MICROSECONDS.toNanos(50), 1);
    for (int i = 0; i < 510; i++) {
      timing.observe(TimeUnit.MILLISECONDS.toNanos(2), 1);
      assertThat(timing.decide(1, 2)).as("it was near a moment ago").isEqualTo(Moment.NEXT_TURN);
    }
    timing.observe(TimeUnit.MILLISECONDS.toNanos(2), 1);
    assertThat(timing.decide(1, 2)).as("the server has moved away").isEqualTo(Moment.AMID_REPLIES);
  }
}
