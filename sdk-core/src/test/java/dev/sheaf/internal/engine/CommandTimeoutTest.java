package dev.sheaf.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The time-out of a command counts from its call, wherever it spends its time. */
@Timeout(60)
class CommandTimeoutTest {

  private static final Duration TIMEOUT = Duration.ofMillis(1_500);

  /** How long commands wait before they are written. Added to the time-out, it would be seen. */
  private static final Duration WAIT = Duration.ofMillis(1_000);

  private static final Duration TOO_LATE = TIMEOUT.plus(WAIT).minusMillis(200);

  @Test
  void timeInTheQueueAndBeforeIt_countsToo() throws Exception {
    int queued = 3;
    BatchingOptions oneLargeWriteAtATime =
        BatchingOptions.defaults().withMaxInFlight(1_000, 5_000).withMaxQueued(queued, 1 << 20);
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .batching(oneLargeWriteAtATime)
                .commandTimeout(TIMEOUT)
                .connect()) {
      server.faults().latency("set", WAIT);
      RedisFuture<String> large = sheaf.async().set("key", "x".repeat(10_000));
      // Before the event loop writes what waits behind it: that gets no answer.
      CompletableFuture<Void> answered =
          large.toCompletableFuture().thenRun(() -> proxy.pauseToClient(true));
      Await.until(
          "the large write to be under way",
          Duration.ofSeconds(10),
          () -> pipelineOf(sheaf).queuedCommands() == 0);

      // The common pool has one thread on a small machine, and the calls would wait for each other.
      Executor ownThread = call -> new Thread(call).start();
      List<Timed> waiting = new ArrayList<>();
      waiting.add(new Timed("async", sheaf.async().strlen("key").toCompletableFuture()));
      waiting.add(new Timed("reactive", sheaf.reactive().strlen("key").toFuture()));
      waiting.add(new Timed("async GET", sheaf.async().get("key").toCompletableFuture()));
      assertThat(pipelineOf(sheaf).queuedCommands()).isEqualTo(queued);
      waiting.add(
          new Timed(
              "sync", CompletableFuture.supplyAsync(() -> sheaf.sync().strlen("key"), ownThread)));
      waiting.add(
          new Timed(
              "getAll",
              CompletableFuture.supplyAsync(
                  () -> sheaf.getAll(List.of("key")).get("key").orNull(), ownThread)));
      for (Timed call : waiting) {
        call.requireTimeout();
      }
      assertThat(answered.isDone()).as("the large write made room").isTrue();
      proxy.pauseToClient(false);
    }
  }

  @Test
  void timeOnALostConnection_countsToo() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port()).commandTimeout(TIMEOUT).connect()) {
      sheaf.sync().set("key", "value");
      proxy.pauseToClient(true);
      long began = System.nanoTime();
      Timed read = new Timed("async", sheaf.async().get("key").toCompletableFuture());
      Await.until(
          "most of the time to pass",
          Duration.ofSeconds(10),
          () -> System.nanoTime() - began > WAIT.toNanos());
      proxy.resetConnections();
      read.requireTimeout();
      proxy.pauseToClient(false);
      assertThat(sheaf.async().get("key").get(20, TimeUnit.SECONDS)).isEqualTo("value");
    }
  }

  private static NodePipeline pipelineOf(Sheaf<?, ?> sheaf) {
    var connection = (io.lettuce.core.RedisChannelHandler<?, ?>) sheaf.standalone();
    return ((CoalescingWriter) connection.getChannelWriter()).pipeline();
  }

  /** A call that is to time out, and how long it took. */
  private static final class Timed {

    private final String name;
    private final CompletableFuture<?> outcome;
    private final long beganNanos = System.nanoTime();
    private final AtomicLong endedNanos = new AtomicLong();

    Timed(String name, CompletableFuture<?> outcome) {
      this.name = name;
      this.outcome = outcome.whenComplete((value, failure) -> endedNanos.set(System.nanoTime()));
    }

    void requireTimeout() {
      assertThatThrownBy(() -> outcome.get(20, TimeUnit.SECONDS))
          .as(name)
          .isInstanceOf(ExecutionException.class)
          .rootCause()
          .isInstanceOf(RedisCommandTimeoutException.class);
      assertThat(Duration.ofNanos(endedNanos.get() - beganNanos))
          .as(name)
          .isBetween(TIMEOUT.minusMillis(50), TOO_LATE);
    }
  }
}
