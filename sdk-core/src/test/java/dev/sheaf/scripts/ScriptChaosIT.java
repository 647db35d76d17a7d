// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** As {@link ScriptChaosTest}, on redis-server processes. */
@Tag("slow")
@Timeout(200)
class ScriptChaosIT {

  private static final Duration TIME = Duration.ofSeconds(15);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void oneServer_flushesAndReconnects() throws Exception {
    try (RealRedis server = RealRedis.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).commandTimeout(Duration.ofSeconds(10)).connect()) {
      ScriptChaos chaos = new ScriptChaos(sheaf);
      chaos.run(
          Duration.ofSeconds(5),
          step -> {
            if (step % 5 == 4) {
              server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            } else {
              server.command("SCRIPT", "FLUSH");
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
          });
      chaos.check();
    }
  }

  @Test
  void cluster_flushesFailoversReshardingReconnects() throws Exception {
    try (RealRedisCluster cluster =
            RealRedisCluster.builder().nodeTimeout(Duration.ofSeconds(30)).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(cluster.uri())
                .clientOptions(ScriptChaos.refreshing())
                .commandTimeout(Duration.ofSeconds(10))
                .connect()) {
      ScriptChaos chaos = new ScriptChaos(sheaf);
      Random random = new Random(42);
      AtomicInteger failovers = new AtomicInteger();
      chaos.run(
          TIME,
          step -> {
            if (disturb(cluster, random, step % 8)) {
              failovers.incrementAndGet();
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
          });
      cluster.awaitOk();
      chaos.check(cluster.lostWrites()::mayHaveLost);
      assertThat(failovers).hasPositiveValue();
    }
  }

  /** Whether a replica took over. */
  private static boolean disturb(RealRedisCluster cluster, Random random, int kind) {
    RealRedis any = cluster.nodes().get(random.nextInt(cluster.nodes().size()));
    switch (kind) {
      case 0, 1, 2, 3, 4 -> any.command("SCRIPT", "FLUSH");
      case 5 -> {
        String key = "counts:" + random.nextInt(ScriptChaos.THREADS);
        cluster.moveSlot(
            SlotHash.getSlot(key), random, target -> target.command("SCRIPT", "FLUSH"));
      }
      case 6 -> any.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      default -> {
        return cluster.failOver(random);
      }
    }
    return false;
  }
}
