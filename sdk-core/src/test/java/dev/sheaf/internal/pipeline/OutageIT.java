// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.QueueFullException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What callers meet while a real server is stopped, killed, restarted, or refuses a command. */
@Timeout(180)
class OutageIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void userWithoutMget_readsAsBefore() throws Exception {
    try (RealRedis server = RealRedis.start()) {
      server.command(
          "ACL", "SETUSER", "reader", "on", ">pw", "~*", "+get", "+set", "+hget", "+hset", "+hello",
          "+client", "+ping");
      try (Sheaf<String, String> sheaf =
          Sheaf.connect(server.uri().replace("redis://", "redis://reader:pw@"))) {
        sheaf.sync().set("a", "1");
        sheaf.sync().set("b", "2");
        for (int i = 0; i < 5; i++) {
          var results = sheaf.getAll(List.of("a", "b"));
          assertThat(results.get("a").orNull()).isEqualTo("1");
          assertThat(results.get("b").orNull()).isEqualTo("2");
        }
        readsFieldsWithoutHmget(sheaf);
      }
    }
  }

  private static void readsFieldsWithoutHmget(Sheaf<String, String> sheaf) throws Exception {
    for (int i = 0; i < 50; i++) {
      String value = Integer.toString(i);
      sheaf.async().hset("hash", "field", value);
      RedisFuture<String> first = sheaf.async().hget("hash", "field");
      RedisFuture<String> second = sheaf.async().hget("hash", "field");
      sheaf.async().hset("hash", "field", "later");
      assertThat(first.get(10, TimeUnit.SECONDS)).isEqualTo(value);
      assertThat(second.get(10, TimeUnit.SECONDS)).isEqualTo(value);
    }
  }

  @Test
  void stoppedServer_fillsTheQueueToItsLimit_andNoFurther() throws Exception {
    BatchingOptions small =
        BatchingOptions.builder()
            .maxQueuedCommands(2_000)
            .maxQueuedBytes(1 << 20)
            .maxInFlightCommands(500)
            .maxInFlightBytes(1 << 20)
            .build();
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .batching(small)
                .commandTimeout(Duration.ofSeconds(5))
                .connect()) {
      sheaf.sync().set("k", "v");
      server.pause();
      List<RedisFuture<String>> reads = new ArrayList<>();
      int refused = 0;
      for (int i = 0; i < 10_000; i++) {
        RedisFuture<String> read = sheaf.async().get("k");
        reads.add(read);
        if (read.toCompletableFuture().isCompletedExceptionally()) {
          refused++;
        }
      }
      assertThat(refused).isBetween(7_000, 8_000);
      assertThatThrownBy(() -> reads.get(reads.size() - 1).get(1, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(QueueFullException.class)
          .hasMessageContaining("maxQueuedCommands=2000");
      Await.until(
          "the commands in the queue to time out",
          SOON,
          () -> reads.stream().allMatch(read -> read.toCompletableFuture().isDone()));

      server.resume();
      Await.until("the server to answer again", SOON, () -> "v".equals(sheaf.sync().get("k")));
    }
  }

  @Test
  void blockingCaller_waitsForRoom() throws Exception {
    BatchingOptions small =
        BatchingOptions.builder()
            .maxQueuedCommands(50)
            .maxQueuedBytes(1 << 20)
            .maxInFlightCommands(20)
            .maxInFlightBytes(1 << 20)
            .build();
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).batching(small).connect()) {
      List<String> keys = new ArrayList<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < 3_000; i++) {
          String key = "k" + i;
          keys.add(key);
          batch.add(redis -> redis.set(key, key));
        }
      }
      assertThat(sheaf.getAll(keys).values()).allMatch(Result::isPresent).hasSize(3_000);
    }
  }

  @Test
  void manyBlockingCallers_shareAnAlmostFullQueue() throws Exception {
    BatchingOptions tiny =
        BatchingOptions.builder()
            .maxQueuedCommands(3)
            .maxQueuedBytes(1 << 20)
            .maxInFlightCommands(2)
            .maxInFlightBytes(1 << 20)
            .build();
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).batching(tiny).connect()) {
      sheaf.sync().set("k", "v");
      AtomicInteger read = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 32; t++) {
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < 100; i++) {
                    if ("v".equals(sheaf.sync().get("k"))) {
                      read.incrementAndGet();
                    }
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(read).hasValue(3_200);
    }
  }

  @Test
  void silentServer_timesOutEveryCaller() {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).commandTimeout(Duration.ofMillis(300)).connect()) {
      server.command("SET", "k", "v");
      server.pause();
      assertThatThrownBy(() -> sheaf.sync().get("k"))
          .isInstanceOf(RedisCommandTimeoutException.class);
      assertThat(sheaf.getAll(List.of("k", "l")).values())
          .allSatisfy(
              result ->
                  assertThatThrownBy(result::orNull)
                      .isInstanceOf(RedisCommandTimeoutException.class));
      assertThatThrownBy(
              () -> {
                try (Batch<String, String> batch = sheaf.batch()) {
                  batch.get("k");
                }
              })
          .isInstanceOf(SheafException.class)
          .hasMessageContaining("not read");
      server.resume();
      Await.until("the server to answer again", SOON, () -> "v".equals(sheaf.sync().get("k")));
    }
  }

  @Test
  void killedServer_commandsWaitForItsReturn() throws Exception {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("k", "v");
      server.kill();
      Await.until("the loss to be noticed", SOON, () -> !sheaf.standalone().isOpen());
      RedisFuture<String> write = sheaf.async().set("k", "after");
      RedisFuture<String> read = sheaf.async().get("k");
      assertThat(write.toCompletableFuture()).isNotDone();
      server.restart();
      assertThat(write.get(30, TimeUnit.SECONDS)).isEqualTo("OK");
      assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo("after");
    }
  }

  @Test
  void writeWithoutReply_isReportedAsUnknown_andReadIsRepeated() throws Exception {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().ping();
      server.pause();
      RedisFuture<String> read = sheaf.async().get("other");
      RedisFuture<Long> write = sheaf.async().incr("counter");
      RedisFuture<String> overtaken = sheaf.async().get("counter");
      RedisFuture<Long> second = sheaf.async().incr("counter");
      Await.until("the commands to be written", SOON, pipelineOf(sheaf)::isIdle);
      server.kill();
      assertThatThrownBy(() -> write.get(30, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("INCR");
      assertThatThrownBy(() -> second.get(30, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(OutcomeUnknownException.class);
      assertThatThrownBy(() -> overtaken.get(30, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(ConnectionLostException.class)
          .hasMessageContaining("GET");
      server.restart();
      assertThat(read.get(30, TimeUnit.SECONDS)).isNull();
      assertThat(sheaf.sync().get("counter")).isNull();
    }
  }

  @Test
  void closedWhileWaiting_failsWhatWaits() {
    try (RealRedis server = RealRedis.start()) {
      Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
      sheaf.sync().ping();
      server.pause();
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        reads.add(sheaf.async().get("k" + i));
      }
      sheaf.close();
      Await.until(
          "every command to end",
          SOON,
          () -> reads.stream().allMatch(read -> read.toCompletableFuture().isDone()));
      assertThat(reads).allMatch(read -> read.toCompletableFuture().isCompletedExceptionally());
    }
  }

  private static NodePipeline pipelineOf(Sheaf<?, ?> sheaf) {
    RedisChannelHandler<?, ?> connection = (RedisChannelHandler<?, ?>) sheaf.standalone();
    return ((NodeWriter) connection.getChannelWriter()).pipeline();
  }
}
