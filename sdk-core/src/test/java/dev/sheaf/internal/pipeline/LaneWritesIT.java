// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Writes over several connections to a real server with a replica. */
@Timeout(180)
class LaneWritesIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int WRITERS = 3;

  private ClientResources resources;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  private static Lanes lanesOf(Sheaf<String, String> sheaf) {
    StatefulRedisConnectionImpl<?, ?> main = (StatefulRedisConnectionImpl<?, ?>) sheaf.standalone();
    return Objects.requireNonNull(((NodeWriter) main.getChannelWriter()).pipeline().lanes());
  }

  private static void writeUntilThereAreLanes(Sheaf<String, String> sheaf) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      String key = "key:" + i;
      Thread writer =
          new Thread(
              () -> {
                while (!over.get()) {
                  sheaf.sync().incr(key);
                }
              });
      writers.add(writer);
      writer.start();
    }
    try {
      Await.until("two lanes", PATIENCE, () -> lanesOf(sheaf).drivers() == WRITERS);
    } finally {
      over.set(true);
      for (Thread writer : writers) {
        writer.join();
      }
    }
  }

  /** Counts the WAITs of which the latency is recorded. */
  private static CommandLatencyRecorder counting(AtomicLong waits) {
    return (local, remote, type, first, completion) -> {
      if (type == CommandType.WAIT) {
        waits.incrementAndGet();
      }
    };
  }

  @AfterEach
  void shutDown() throws Exception {
    resources.shutdown(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Each thread prefers another connection, by its id. */
  @Test
  void wait_asksForTheWritesOfAllConnections() throws Exception {
    AtomicLong recorded = new AtomicLong();
    resources = DefaultClientResources.builder().commandLatencyRecorder(counting(recorded)).build();
    try (RealRedis primary = RealRedis.start();
        RealRedis replica = RealRedis.start("replicaof 127.0.0.1 " + primary.port());
        Sheaf<String, String> sheaf =
            Sheaf.builder(primary.uri())
                .clientResources(resources)
                .batching(BatchingOptions.builder().maxLanes(WRITERS - 1).build())
                .connect()) {
      writeUntilThereAreLanes(sheaf);
      RedisCommands<String, String> redis = sheaf.standalone().sync();
      for (int i = 0; i < 2 * WRITERS; i++) {
        Await.until("the replica", PATIENCE, () -> redis.waitForReplication(1, 100) == 1);
        replica.pause();
        CompletableFuture<Long> copies = new CompletableFuture<>();
        new Thread(
                () -> {
                  sheaf.sync().set("key", "value");
                  copies.complete(redis.waitForReplication(1, 50));
                })
            .start();
        assertThat(copies.get(60, TimeUnit.SECONDS)).as("copies of a write").isZero();
        replica.resume();
      }
      long called = recorded.get();
      primary.command("CONFIG", "RESETSTAT");
      assertThat(redis.waitForReplication(0, 50)).isNotNegative();
      assertThat(primary.command("INFO", "commandstats").toString())
          .contains("cmdstat_wait:calls=" + WRITERS + ",");
      assertThat(recorded).as("observed is what was called").hasValue(called + 1);
    }
  }
}
