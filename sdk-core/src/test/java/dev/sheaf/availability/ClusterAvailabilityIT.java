// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters of which a part is missing. */
@Timeout(180)
class ClusterAvailabilityIT {

  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int SLOTS = 16_384;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  /** A key in the slots that the cluster was started with on a primary. */
  private static String keyOn(int primary, int primaries) {
    for (int i = 0; true; i++) {
      String key = "key" + i;
      if (SlotHash.getSlot(key) * primaries / SLOTS == primary) {
        return key;
      }
    }
  }

  private static Sheaf<String, String> connect(RealRedisCluster cluster) {
    Sheaf<String, String> sheaf =
        Sheaf.builder(cluster.nodes().get(1).uri())
            .availability(AvailabilityOptions.defaults())
            .connect();
    Availability<String> patient = sheaf.availability().withTimeout(SOON);
    assertThat(patient.ping()).isPositive();
    return sheaf;
  }

  private static void awaitAvailable(Sheaf<String, String> sheaf, String key, boolean expected) {
    Await.until(
        key + " to be " + (expected ? "available" : "unavailable"),
        SOON,
        () -> sheaf.availability().isAvailable(key) == expected,
        () -> "; " + sheaf.availability().nodes());
  }

  @Test
  void lostPrimary_makesItsKeysUnavailable_andOnlyThem() {
    try (RealRedisCluster cluster =
            RealRedisCluster.builder()
                .replicas(0)
                .nodeTimeout(Duration.ofSeconds(1))
                .config("cluster-require-full-coverage no")
                .start();
        Sheaf<String, String> sheaf = connect(cluster)) {
      String lost = keyOn(0, 3);
      String kept = keyOn(2, 3);
      awaitAvailable(sheaf, lost, true);
      cluster.primaries().get(0).kill();
      awaitAvailable(sheaf, lost, false);
      assertThat(sheaf.availability().isAvailable(kept)).isTrue();
      assertThat(sheaf.availability().isAvailable()).as("two of three nodes").isTrue();
      // Its callers are told no as soon as a PING fails, and the state follows.
      Await.until(
          "the whole to be SLOW",
          SOON,
          () -> sheaf.availability().status().state() == AvailabilityState.SLOW,
          () -> "; " + sheaf.availability().nodes());
      assertThat(sheaf.availability().status().reason()).contains("1 of 3 nodes");
      assertThatThrownBy(() -> sheaf.availability().ping(lost))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining(":" + cluster.primaries().get(0).port());
      assertThat(sheaf.availability().withTimeout(SOON).ping(kept)).isPositive();
      assertThat(sheaf.readThrough(lost, Duration.ofMinutes(1), key -> "loaded"))
          .isEqualTo("loaded");

      cluster.primaries().get(1).kill();
      Await.until(
          "two lost of three to be too many", SOON, () -> !sheaf.availability().isAvailable());
      awaitAvailable(sheaf, kept, true);

      cluster.primaries().get(0).restart();
      cluster.primaries().get(1).restart();
      awaitAvailable(sheaf, lost, true);
      Await.until(
          "all to be up",
          SOON,
          () -> sheaf.availability().status().state() == AvailabilityState.UP,
          () -> "; " + sheaf.availability().nodes());
    }
  }

  @Test
  void clusterThatWantsAllItsSlots_isDownWithOnePrimary() {
    try (RealRedisCluster cluster =
            RealRedisCluster.builder().replicas(0).nodeTimeout(Duration.ofSeconds(1)).start();
        Sheaf<String, String> sheaf = connect(cluster)) {
      String kept = keyOn(2, 3);
      cluster.primaries().get(0).kill();
      awaitAvailable(sheaf, kept, false);
      Await.until(
          "all to be down",
          SOON,
          () -> sheaf.availability().status().state() == AvailabilityState.DOWN,
          () -> "; " + sheaf.availability().nodes());
      assertThat(sheaf.availability().nodes().values())
          .anyMatch(status -> status.reason().contains("CLUSTERDOWN"));
      cluster.primaries().get(0).restart();
      awaitAvailable(sheaf, kept, true);
      awaitAvailable(sheaf, keyOn(0, 3), true);
    }
  }

  @Test
  void keysOfALostPrimary_areAvailableAgain_whenItsReplicaHasTakenOver() {
    try (RealRedisCluster cluster =
            RealRedisCluster.builder().nodeTimeout(Duration.ofSeconds(1)).start();
        Sheaf<String, String> sheaf = connect(cluster)) {
      String key = keyOn(0, 3);
      sheaf.sync().set(key, "value");
      cluster.primaries().get(0).kill();
      awaitAvailable(sheaf, key, false);
      awaitAvailable(sheaf, key, true);
      assertThat(sheaf.availability().nodes())
          .hasSize(3)
          .containsKey("127.0.0.1:" + cluster.replicas().get(0).port());
      assertThat(sheaf.readThrough(key, Duration.ofMinutes(1), missing -> "loaded"))
          .isEqualTo("value");
    }
  }
}
