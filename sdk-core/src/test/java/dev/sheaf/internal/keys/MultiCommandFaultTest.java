// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.SlotMigration;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of each key of a large write when the server, or one node, has a fault. */
@Timeout(180)
class MultiCommandFaultTest {

  private static final Result<Boolean> YES = new Result.Value<>(true);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "OOM command not allowed when used memory > 'maxmemory'.",
        "READONLY You can't write against a read only replica.",
        "NOPERM this user has no permissions to access one of the keys used as arguments",
        "LOADING Redis is loading the dataset in memory",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "ERR something new"
      })
  void refusedKeys_failAlone_withTheServersWords(String error) {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (String command : List.of("set", "unlink", "exists", "touch")) {
        sheaf.setAll(values(10));
        server.faults().failNext(command, 3, error);
        Map<String, Result<Boolean>> results = run(sheaf, command, values(10));
        int index = 0;
        for (Result<Boolean> result : results.values()) {
          if (index++ < 3) {
            assertThatThrownBy(result::orNull)
                .isInstanceOf(RedisCommandExecutionException.class)
                .hasMessage(error);
          } else {
            assertThat(result).isEqualTo(YES);
          }
        }
      }
    }
  }

  private static Map<String, Result<Boolean>> run(
      Sheaf<String, String> sheaf, String command, Map<String, String> values) {
    return switch (command) {
      case "set" -> sheaf.setAll(values);
      case "unlink" -> sheaf.deleteAll(values.keySet());
      case "exists" -> sheaf.existsAll(values.keySet());
      default -> sheaf.touchAll(values.keySet());
    };
  }

  private static Map<String, String> values(int count) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      values.put("key" + i, "value" + i);
    }
    return values;
  }

  @Test
  void downPartOfACluster_failsItsKeysAlone() {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      EmbeddedNode down = server.nodes().get(1);
      server.faults().on(down).failNext("set", 1_000, "CLUSTERDOWN Hash slot not served");
      Map<String, Result<Boolean>> results = sheaf.setAll(values(200));
      results.forEach(
          (key, result) -> {
            if (down.slots().get(SlotHash.getSlot(key))) {
              assertThatThrownBy(result::orNull).hasMessage("CLUSTERDOWN Hash slot not served");
            } else {
              assertThat(result).isEqualTo(YES);
              assertThat(sheaf.sync().get(key)).isEqualTo("value" + key.substring(3));
            }
          });
      assertThat(results.values().stream().filter(Result::isFailure).count()).isBetween(20L, 150L);
    }
  }

  @Test
  void movedAndMovingSlots_areFollowedByEachKeyItself() {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      EmbeddedNode from = server.nodes().get(0);
      EmbeddedNode to = server.nodes().get(1);
      Map<String, String> values = values(300);
      sheaf.setAll(values);
      List<Integer> slots = new ArrayList<>();
      for (String key : values.keySet()) {
        int slot = SlotHash.getSlot(key);
        if (from.slots().get(slot) && slots.size() < 8 && !slots.contains(slot)) {
          slots.add(slot);
        }
      }
      List<SlotMigration> begun = new ArrayList<>();
      for (int i = 0; i < slots.size(); i++) {
        if (i % 2 == 0) {
          server.migrateSlot(slots.get(i), from, to);
        } else {
          begun.add(server.beginMigration(slots.get(i), from, to));
          begun.get(begun.size() - 1).moveKeys(1_000);
        }
      }
      values.replaceAll((key, value) -> value + " after");
      assertThat(sheaf.setAll(values).values()).hasSize(300).containsOnly(YES);
      assertThat(sheaf.touchAll(values.keySet()).values()).hasSize(300).containsOnly(YES);
      assertThat(sheaf.existsAll(values.keySet()).values()).hasSize(300).containsOnly(YES);
      begun.forEach(SlotMigration::finish);
      sheaf
          .getAll(values.keySet())
          .forEach((key, value) -> assertThat(value.orNull()).isEqualTo(values.get(key)));
      assertThat(sheaf.deleteAll(values.keySet()).values()).hasSize(300).containsOnly(YES);
    }
  }

  @Test
  void silentNode_timesOutItsKeysAlone() {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start()) {
      EmbeddedNode silent = server.nodes().get(2);
      try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", silent.port()).start()) {
        silent.announcePort(proxy.port());
        try (Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .commandTimeout(Duration.ofSeconds(2))
                // Or the silent connection would be closed before the time is over.
                .healing(HealingOptions.builder().enabled(false).build())
                .connect()) {
          assertThat(sheaf.setAll(values(200)).values()).containsOnly(YES);
          proxy.pauseToServer(true);
          for (String command : List.of("set", "unlink", "exists", "touch")) {
            Map<String, Result<Boolean>> results = run(sheaf, command, values(200));
            results.forEach(
                (key, result) -> {
                  if (silent.slots().get(SlotHash.getSlot(key))) {
                    assertThatThrownBy(result::orNull)
                        .isInstanceOf(RedisCommandTimeoutException.class);
                  } else {
                    assertThat(result.isFailure()).isFalse();
                  }
                });
            assertThat(results.values().stream().filter(Result::isFailure).count())
                .isBetween(20L, 150L);
          }
          proxy.pauseToServer(false);
          Await.until(
              "the node to answer again",
              Duration.ofSeconds(20),
              () -> sheaf.setAll(values(200)).values().stream().allMatch(YES::equals));
        }
      }
    }
  }

  @Test
  void lostConnection_leavesWritesUnknown_andRepeatsQuestions() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      sheaf.setAll(values(10));
      proxy.pauseToServer(true);
      var asked = sheaf.existsAllAsync(List.of("key1", "none"));
      var written = sheaf.setAllAsync(Map.of("other", "v"));
      var deleted = sheaf.deleteAllAsync(List.of("key2"));
      Await.until(
          "the requests to be written",
          Duration.ofSeconds(10),
          () -> proxy.stats().bytesInFlight() > 100);
      proxy.resetConnections();
      proxy.pauseToServer(false);

      assertThat(asked.get(20, TimeUnit.SECONDS))
          .containsExactly(Map.entry("key1", YES), Map.entry("none", new Result.Absent<>()));
      for (CompletableFuture<Map<String, Result<Boolean>>> unknown : List.of(written, deleted)) {
        assertThat(unknown.get(20, TimeUnit.SECONDS).values())
            .hasSize(1)
            .allSatisfy(
                result ->
                    assertThatThrownBy(result::orNull).isInstanceOf(OutcomeUnknownException.class));
      }
    }
  }

  @Test
  void interruptedCaller_throwsAndStaysInterrupted() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      sheaf.sync().ping();
      proxy.pauseToServer(true);
      AtomicReference<Object> seen = new AtomicReference<>();
      Thread caller =
          new Thread(
              () -> {
                try {
                  seen.set(sheaf.setAll(values(10)));
                } catch (RedisCommandInterruptedException e) {
                  seen.set(Thread.currentThread().isInterrupted());
                }
              });
      caller.start();
      Await.until(
          "the caller to wait", Duration.ofSeconds(60), () -> proxy.stats().bytesInFlight() > 0);
      caller.interrupt();
      caller.join(10_000);
      assertThat(seen).hasValue(true);
      proxy.pauseToServer(false);
    }
  }
}
