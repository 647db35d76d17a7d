// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RealRedisCluster;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A slot that moves between real nodes: some keys have gone, others not, and some never were. */
@Timeout(180)
class SlotMigrationIT {

  private static final int KEYS = 60;

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void slotOnTheMove_answersEachKeyFromWhereItIs() throws Exception {
    try (RealRedisCluster cluster = RealRedisCluster.builder().replicas(0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(cluster.uri())) {
      int number = SlotHash.getSlot("{m}");
      String slot = Integer.toString(number);
      int owner = number * 3 / 16_384;
      RealRedis from = cluster.primaries().get(owner);
      RealRedis to = cluster.primaries().get((owner + 1) % 3);
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < KEYS; i++) {
        values.put("{m}key" + i, "value" + i);
      }
      sheaf.setAll(values);
      sheaf.sync().lpush("{m}list", "x");
      to.command("CLUSTER", "SETSLOT", slot, "IMPORTING", id(from));
      from.command("CLUSTER", "SETSLOT", slot, "MIGRATING", id(to));
      for (int i = 0; i < KEYS; i++) {
        if (i % 10 == 0) {
          readAll(sheaf);
        }
        from.command("MIGRATE", to.host(), Integer.toString(to.port()), "{m}key" + i, "0", "5000");
      }
      readAll(sheaf);
      from.command("MIGRATE", to.host(), Integer.toString(to.port()), "{m}list", "0", "5000");
      readAll(sheaf);
      values.put("{m}new", "value");
      assertThat(sheaf.setAll(values).values()).allMatch(Result::isPresent);
      assertThat(sheaf.existsAll(values.keySet()).values()).allMatch(Result::isPresent);
      sheaf.deleteAll(List.of("{m}new"));
      for (RealRedis node : List.of(to, from)) {
        node.command("CLUSTER", "SETSLOT", slot, "NODE", id(to));
      }
      readAll(sheaf);
    }
  }

  private static String id(RealRedis node) {
    return String.valueOf(node.command("CLUSTER", "MYID"));
  }

  private static void readAll(Sheaf<String, String> sheaf) throws Exception {
    List<RedisFuture<String>> reads = new ArrayList<>();
    for (int i = 0; i < KEYS + 30; i++) {
      reads.add(sheaf.async().get("{m}key" + i));
    }
    RedisFuture<String> list = sheaf.async().get("{m}list");
    for (int i = 0; i < reads.size(); i++) {
      assertThat(reads.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i < KEYS ? "value" + i : null);
    }
    assertThatThrownBy(() -> list.get(60, TimeUnit.SECONDS)).hasMessageContaining("WRONGTYPE");
  }
}
