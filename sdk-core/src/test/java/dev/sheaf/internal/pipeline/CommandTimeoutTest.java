// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

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
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The time-out of a command counts from its call, wherever it spends its time.
 *
 * <p>What waits for a while before it is written has to end before a witness, which is called when
 * that while is over, and has the same time-out on a server that never answers.
 */
@Timeout(180)
class CommandTimeoutTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(4);

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** How long commands wait before they are written. */
  private static final Duration WAIT = Duration.ofMillis(1_500);

  private final EmbeddedServer server = EmbeddedServer.start();
  private final LatencyProxy proxy =
      LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  private final LatencyProxy silent =
      LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  private final Sheaf<String, String> unanswered = connect(silent, BatchingOptions.defaults());
  private final Queue<String> ended = new ConcurrentLinkedQueue<>();

  @AfterEach
  void close() {
    unanswered.close();
    silent.close();
    proxy.close();
    server.close();
  }

  private static Sheaf<String, String> connect(LatencyProxy proxy, BatchingOptions batching) {
    return Sheaf.builder("redis://127.0.0.1:" + proxy.port())
        .batching(batching)
        .commandTimeout(TIMEOUT)
        .connect();
  }

  @Test
  void timeInTheQueueAndBeforeIt_countsToo() {
    int queued = 3;
    BatchingOptions oneLargeWriteAtATime =
        BatchingOptions.builder()
            .maxInFlightCommands(1_000)
            .maxInFlightBytes(5_000)
            .maxQueuedCommands(queued)
            .maxQueuedBytes(1 << 20)
            .build();
    try (Sheaf<String, String> sheaf = connect(proxy, oneLargeWriteAtATime)) {
      proxy.pauseToClient(true);
      RedisFuture<String> large = sheaf.async().set("key", "x".repeat(10_000));
      // Before the event loop writes what waits behind it: that gets no answer.
      CompletableFuture<Void> answered =
          large.toCompletableFuture().thenRun(() -> proxy.pauseToClient(true));
      Await.until(
          "the large write to be under way",
          PATIENCE,
          () -> pipelineOf(sheaf).queue().commands() == 0);

      // The common pool has one thread on a small machine, and the calls would wait for each other.
      Executor ownThread = call -> new Thread(call).start();
      List<CompletableFuture<?>> waiting = new ArrayList<>();
      waiting.add(timed("async", sheaf.async().strlen("key").toCompletableFuture()));
      waiting.add(timed("reactive", sheaf.reactive().strlen("key").toFuture()));
      waiting.add(timed("async GET", sheaf.async().get("key").toCompletableFuture()));
      assertThat(pipelineOf(sheaf).queue().commands()).isEqualTo(queued);
      waiting.add(
          timed(
              "sync", CompletableFuture.supplyAsync(() -> sheaf.sync().strlen("key"), ownThread)));
      waiting.add(
          timed(
              "getAll",
              CompletableFuture.supplyAsync(
                  () -> sheaf.getAll(List.of("key")).get("key").orNull(), ownThread)));
      CompletableFuture<?> witness = witnessAfterAWhile();
      proxy.pauseToClient(false);
      requireTimeouts(waiting, witness);
      assertThat(answered.isDone()).as("the large write made room").isTrue();
      proxy.pauseToClient(false);
    }
  }

  @Test
  void timeOnALostConnection_countsToo() throws Exception {
    try (Sheaf<String, String> sheaf = connect(proxy, BatchingOptions.defaults())) {
      sheaf.sync().set("key", "value");
      proxy.pauseToClient(true);
      CompletableFuture<?> read = timed("async", sheaf.async().get("key").toCompletableFuture());
      CompletableFuture<?> witness = witnessAfterAWhile();
      proxy.resetConnections();
      requireTimeouts(List.of(read), witness);
      proxy.pauseToClient(false);
      Await.until(
          "the server to answer again", PATIENCE, () -> "value".equals(sheaf.sync().get("key")));
    }
  }

  /** Else an outage longer than the time-out ends in errors of a queue that is full of nothing. */
  @Test
  void commandsThatAreLate_leaveTheirRoomToOthers() throws Exception {
    int room = 4;
    try (Sheaf<String, String> sheaf =
        Sheaf.builder("redis://127.0.0.1:" + proxy.port())
            .batching(BatchingOptions.builder().maxQueuedCommands(room).build())
            .commandTimeout(Duration.ofMillis(200))
            .connect()) {
      proxy.pauseToClient(true);
      proxy.resetConnections();
      NodePipeline pipeline = pipelineOf(sheaf);
      Await.until("the loss is noticed", PATIENCE, () -> pipeline.channel() == null);
      for (int round = 0; round < 3; round++) {
        List<CompletableFuture<?>> waiting = new ArrayList<>();
        for (int i = 0; i < room; i++) {
          waiting.add(sheaf.async().set("key", "value").toCompletableFuture());
        }
        for (CompletableFuture<?> each : waiting) {
          assertThatThrownBy(() -> each.get(60, TimeUnit.SECONDS))
              .rootCause()
              .isInstanceOf(RedisCommandTimeoutException.class);
        }
        Await.until("they have left", PATIENCE, () -> pipeline.queue().commands() == 0);
      }
      assertThat(pipeline.queue().bytes()).isZero();
      proxy.pauseToClient(false);
      Await.until(
          "the server answers again",
          PATIENCE,
          () ->
              "PONG"
                  .equals(
                      sheaf.async().ping().exceptionally(late -> "").toCompletableFuture().get()));
    }
  }

  private CompletableFuture<?> witnessAfterAWhile() {
    silent.pauseToClient(true);
    long over = System.nanoTime() + WAIT.toNanos();
    Await.until("a while to pass", PATIENCE, () -> System.nanoTime() > over);
    return timed("witness", unanswered.async().get("key").toCompletableFuture());
  }

  private CompletableFuture<?> timed(String name, CompletableFuture<?> outcome) {
    return outcome.whenComplete((value, failure) -> ended.add(name));
  }

  private void requireTimeouts(List<CompletableFuture<?>> calls, CompletableFuture<?> witness) {
    List<CompletableFuture<?>> all = new ArrayList<>(calls);
    all.add(witness);
    for (CompletableFuture<?> call : all) {
      assertThatThrownBy(() -> call.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .rootCause()
          .isInstanceOf(RedisCommandTimeoutException.class);
    }
    assertThat(ended).hasSize(all.size()).last().isEqualTo("witness");
  }

  private static NodePipeline pipelineOf(Sheaf<?, ?> sheaf) {
    var connection = (io.lettuce.core.RedisChannelHandler<?, ?>) sheaf.standalone();
    return ((NodeWriter) connection.getChannelWriter()).pipeline();
  }
}
