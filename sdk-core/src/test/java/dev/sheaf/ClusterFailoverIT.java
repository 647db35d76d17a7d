// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ClusterFailoverIT {

  private static final int KEYS = 300;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void killedMaster_everyCommandEnds_andItsReplicaTakesOver() {
    ClusterClientOptions options =
        ClusterClientOptions.builder()
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(Duration.ofMillis(500))
                    .build())
            .build();
    try (RealRedisCluster cluster = RealRedisCluster.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(cluster.uri())
                .clientOptions(options)
                .commandTimeout(Duration.ofSeconds(3))
                .connect()) {
      List<String> keys = new ArrayList<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < KEYS; i++) {
          String key = "key" + i;
          keys.add(key);
          batch.add(redis -> redis.set(key, key));
        }
      }
      for (RealRedis primary : cluster.primaries()) {
        primary.command("WAIT", "1", "5000");
      }

      cluster.primaries().get(1).kill();
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (String key : keys) {
        reads.add(sheaf.async().get(key));
      }
      Await.until(
          "every read to end",
          Duration.ofSeconds(30),
          () -> reads.stream().allMatch(read -> read.toCompletableFuture().isDone()));
      for (int i = 0; i < KEYS; i++) {
        // As with Lettuce, what waits for the lost node times out; nothing gets another's value.
        if (!reads.get(i).toCompletableFuture().isCompletedExceptionally()) {
          assertThat(reads.get(i).toCompletableFuture()).isCompletedWithValue(keys.get(i));
        }
      }
      Await.until(
          "writes to every slot",
          Duration.ofSeconds(40),
          () -> {
            for (String key : keys) {
              sheaf.sync().set(key, "after");
            }
            return true;
          });
      assertThat(sheaf.getAll(keys).values()).allMatch(value -> value.orElse("").equals("after"));
    }
  }
}
