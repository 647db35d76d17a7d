// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.CommandLog;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.SlotMigration;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.SlotHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads that travel together meet the faults that each of them would have met alone. */
@Timeout(180)
class FusionFaultTest {

  private static final String NO_HMGET =
      "NOPERM User default has no permissions to run the 'hmget' command";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOADING Redis is loading the dataset in memory",
        "READONLY You can't write against a read only replica.",
        "NOPERM this user has no permissions to run the 'mget' command",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "BUSY Redis is busy running a script.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
      })
  void refusedMget_isAskedAgainAsGets_whichMeetTheirOwnErrors(String error) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "2");
      sheaf.sync().lpush("list", "x");
      server.faults().failNext("mget", 1, error);
      Map<String, Result<String>> results = sheaf.getAll(List.of("a", "none", "list", "b"));
      assertThat(results.get("a").orNull()).isEqualTo("1");
      assertThat(results.get("b").orNull()).isEqualTo("2");
      assertThat(results.get("none").isAbsent()).isTrue();
      assertThatThrownBy(() -> results.get("list").orNull()).hasMessageStartingWith("WRONGTYPE");

      server.faults().failNext("mget", 1, error);
      server.faults().failNext("get", 2, error);
      Map<String, Result<String>> refused = sheaf.getAll(List.of("a", "none", "b"));
      assertThat(refused.values()).filteredOn(Result::isFailure).isNotEmpty();
      refused.forEach(
          (key, result) -> {
            if (result.isFailure()) {
              assertThatThrownBy(result::orNull).hasMessage(error);
            } else {
              assertThat(result.orElse("none"))
                  .isEqualTo(Map.of("a", "1", "b", "2").getOrDefault(key, "none"));
            }
          });
      server.faults().clear();
      assertThat(sheaf.async().get("b").get(60, TimeUnit.SECONDS)).isEqualTo("2");
    }
  }

  @Test
  void slotOnTheMove_answersEachKeyFromWhereItIs() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      int slot = SlotHash.getSlot("{m}");
      EmbeddedNode from = null;
      for (EmbeddedNode node : server.nodes()) {
        from = node.slots().get(slot) ? node : from;
      }
      EmbeddedNode to = server.nodes().get(from == server.nodes().get(0) ? 1 : 0);
      for (int i = 0; i < 60; i++) {
        sheaf.sync().set("{m}key" + i, "value" + i);
      }
      sheaf.sync().lpush("{m}list", "x");
      SlotMigration migration = server.beginMigration(slot, from, to);
      for (int moved = 0; moved < 60; moved += 10) {
        readAll(sheaf);
        migration.moveKeys(10);
      }
      readAll(sheaf);
      migration.moveKeys(1_000);
      readAll(sheaf);
      migration.finish();
      readAll(sheaf);
      assertThat(sheaf.sync().get("{m}key1")).isEqualTo("value1");
    }
  }

  private static void readAll(Sheaf<String, String> sheaf) throws Exception {
    List<RedisFuture<String>> reads = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      reads.add(sheaf.async().get("{m}key" + i));
    }
    RedisFuture<String> list = sheaf.async().get("{m}list");
    for (int i = 0; i < 90; i++) {
      assertThat(reads.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i < 60 ? "value" + i : null);
    }
    assertThatThrownBy(() -> list.get(60, TimeUnit.SECONDS)).hasMessageContaining("WRONGTYPE");
  }

  /** These are of the key, or of the server, so that a plain HGET would have met them too. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOADING Redis is loading the dataset in memory",
        "BUSY Redis is busy running a script.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "CLUSTERDOWN Hash slot not served"
      })
  void refusedHmget_isTheAnswerOfEachHget(String error) throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fuseHashes(server, sheaf);
      server.faults().failNext("hmget", 1, error);
      List<RedisFuture<String>> reads = readTogether(sheaf, "a", "none", "b");
      for (RedisFuture<String> read : reads) {
        assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS)).hasMessageContaining(error);
      }
      assertThat(valuesOf(readTogether(sheaf, "a", "none", "b"))).containsExactly("1", null, "2");
    }
  }

  @Test
  void userWithoutHmget_isServedWithHgets_fromTheFirstOneOn() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      server.faults().errorOn("hmget", NO_HMGET);
      CommandLog log = server.log().start();
      sheaf.sync().hset("hash", Map.of("a", "1", "b", "2"));
      for (int i = 0; i < 5; i++) {
        assertThat(valuesOf(readTogether(sheaf, "a", "none", "b"))).containsExactly("1", null, "2");
        // The answer to what nobody waits for comes before this one.
        sheaf.sync().ping();
      }
      log.assertCount("hmget", 1);
    }
  }

  @Test
  void permissionWithdrawn_asksAgainByHget_butNeverBehindALaterWrite() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fuseHashes(server, sheaf);
      server.faults().failNext("hmget", 1, NO_HMGET);
      assertThat(valuesOf(readTogether(sheaf, "a", "none", "b"))).containsExactly("1", null, "2");
    }
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fuseHashes(server, sheaf);
      server.faults().failNext("hmget", 1, NO_HMGET);
      List<RedisFuture<String>> reads = new ArrayList<>();
      WriteScope.run(
          () -> {
            reads.add(sheaf.async().hget("hash", "a"));
            reads.add(sheaf.async().hget("hash", "b"));
            sheaf.async().hset("hash", "a", "later");
          });
      for (RedisFuture<String> read : reads) {
        assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS)).hasMessageContaining("NOPERM");
      }
      assertThat(valuesOf(readTogether(sheaf, "a", "b"))).containsExactly("later", "2");
    }
  }

  @Test
  void hashOnTheMove_isReadWhereItIs() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fuseHashes(server, sheaf);
      int slot = SlotHash.getSlot("hash");
      EmbeddedNode from = null;
      for (EmbeddedNode node : server.nodes()) {
        from = node.slots().get(slot) ? node : from;
      }
      EmbeddedNode to = server.nodes().get(from == server.nodes().get(0) ? 1 : 0);
      SlotMigration migration = server.beginMigration(slot, from, to);
      assertThat(valuesOf(readTogether(sheaf, "a", "none", "b"))).containsExactly("1", null, "2");
      migration.moveKeys(1_000);
      assertThat(valuesOf(readTogether(sheaf, "a", "none", "b"))).containsExactly("1", null, "2");
      migration.finish();
      assertThat(valuesOf(readTogether(sheaf, "a", "none", "b"))).containsExactly("1", null, "2");
    }
  }

  /** The first HGETs of a connection travel as such, and ask whether HMGET is allowed. */
  private static void fuseHashes(EmbeddedServer server, Sheaf<String, String> sheaf)
      throws Exception {
    sheaf.sync().hset("hash", Map.of("a", "1", "b", "2"));
    valuesOf(readTogether(sheaf, "a", "b"));
    sheaf.sync().hget("hash", "a");
    assertThat(valuesOf(readTogether(sheaf, "a", "b"))).containsExactly("1", "2");
    assertThat(calls(server, "hmget")).isEqualTo(2);
  }

  private static List<RedisFuture<String>> readTogether(
      Sheaf<String, String> sheaf, String... fields) {
    List<RedisFuture<String>> reads = new ArrayList<>();
    WriteScope.run(
        () -> {
          for (String field : fields) {
            reads.add(sheaf.async().hget("hash", field));
          }
        });
    return reads;
  }

  private static List<String> valuesOf(List<RedisFuture<String>> reads) throws Exception {
    List<String> values = new ArrayList<>();
    for (RedisFuture<String> read : reads) {
      values.add(read.get(60, TimeUnit.SECONDS));
    }
    return values;
  }

  private static long calls(EmbeddedServer server, String command) {
    return server.nodes().stream().mapToLong(node -> node.stats().count(command)).sum();
  }
}
