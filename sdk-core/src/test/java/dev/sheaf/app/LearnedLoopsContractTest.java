// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.LoopReport.Learned;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SortArgs;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Loops that nobody changed are read ahead once they were learned. */
class LearnedLoopsContractTest {

  private static final int ITEMS = 100;

  /**
   * The list, and the first key with all others: two round trips. What goes with the first may be
   * cut in a few commands, and be of several nodes.
   */
  private static final int MOST_COMMANDS = 4;

  /** A machine that is busy must not make a loop too slow for its window. */
  private static final Duration PATIENT = Duration.ofSeconds(30);

  private static Sheaf<String, String> learning(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).learnLoops(PATIENT, 25).connect();
  }

  /** What clients send when they connect, replicas to their primary, and this test. */
  private static final Set<String> OF_NO_LOOP =
      Set.of(
          "config",
          "info",
          "hello",
          "client",
          "command",
          "ping",
          "role",
          "cluster",
          "replconf",
          "psync");

  private static long calls(ServerUnderTest server) {
    return server.commandCalls().entrySet().stream()
        .filter(call -> !OF_NO_LOOP.contains(call.getKey().replaceAll("[|].*", "")))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private static void reset(ServerUnderTest server) {
    server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
  }

  /** Fills keys, a set, a list and a sorted set of their ids. */
  private static void fill(Sheaf<String, String> sheaf) {
    for (int i = 0; i < ITEMS; i++) {
      sheaf.sync().set("item:{t}:" + id(i) + ":v1", "value" + id(i));
      sheaf.sync().hset("hash:{t}:" + id(i), "name", "name" + id(i));
      sheaf.sync().sadd("cart", id(i));
      sheaf.sync().rpush("queue", id(i));
      sheaf.sync().zadd("board", i, id(i));
    }
  }

  private static String id(int i) {
    return Integer.toString(7 * i + 1000, 36);
  }

  private static List<String> names(Sheaf<String, String> sheaf, Iterable<String> ids) {
    List<String> names = new ArrayList<>();
    for (String id : ids) {
      names.add(sheaf.sync().get("item:{t}:" + id + ":v1"));
    }
    return names;
  }

  /** Runs a body four times from the same place; gives the commands of the fourth. */
  private static long callsOfFourth(ServerUnderTest server, Runnable body) {
    for (int i = 0; i < 4; i++) {
      if (i == 3) {
        reset(server);
      }
      body.run();
    }
    return calls(server);
  }

  @ForEachServer
  void unchangedLoopOverMembers_takesTwoRoundTripsOnceLearned(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      fill(sheaf);
      Runnable loop =
          () -> {
            Collection<String> ids = sheaf.sync().smembers("cart");
            assertThat(names(sheaf, ids)).isEqualTo(ids.stream().map(id -> "value" + id).toList());
          };
      assertThat(callsOfFourth(server, loop)).isLessThanOrEqualTo(MOST_COMMANDS);
      Learned learned = learned(sheaf);
      assertThat(learned.keys()).isEqualTo("item:{t}:*:v# with the elements of SMEMBERS");
      assertThat(learned.state()).isEqualTo(Learned.State.READING_AHEAD);
      assertThat(learned.hits()).isEqualTo(ITEMS - 1);
      assertThat(learned.vain()).isZero();
    }
  }

  /** Each kind of reply that may be the source of a loop's keys. */
  @ForEachServer
  void keysMadeOfAnyReply_areReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      fill(sheaf);
      sheaf.sync().set("json", "[" + String.join(",", quotedIds()) + "]");
      List<Supplier<? extends Collection<String>>> sources =
          List.of(
              () -> sheaf.sync().lrange("queue", 0, -1),
              () -> sheaf.sync().zrange("board", 0, -1),
              () ->
                  sheaf.sync().zrangeWithScores("board", 0, -1).stream()
                      .map(s -> s.getValue())
                      .toList(),
              () -> sheaf.sync().sscan("cart", ScanArgs.Builder.limit(ITEMS)).getValues(),
              () -> sheaf.sync().sort("queue", SortArgs.Builder.alpha()),
              () ->
                  sheaf
                      .sync()
                      .eval(
                          "return redis.call('lrange', KEYS[1], 0, -1)",
                          ScriptOutputType.MULTI,
                          "queue"),
              () -> ids(sheaf.sync().get("json")));
      for (Supplier<? extends Collection<String>> source : sources) {
        assertThat(
                callsOfFourth(
                    server, () -> assertThat(names(sheaf, source.get())).doesNotContainNull()))
            .as("source %d", sources.indexOf(source))
            .isLessThanOrEqualTo(MOST_COMMANDS + 1);
      }
    }
  }

  private static List<String> quotedIds() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < ITEMS; i++) {
      ids.add('"' + id(i) + '"');
    }
    return ids;
  }

  private static List<String> ids(String json) {
    return List.of(json.substring(1, json.length() - 1).replace("\"", "").split(","));
  }

  @ForEachServer
  void numbersThatStep_areReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      for (int i = 0; i < 2 * ITEMS; i++) {
        sheaf.sync().set(String.format("{t}day:%03d", i), "value" + i);
      }
      int[] first = {0};
      Runnable loop =
          () -> {
            for (int i = first[0]; i < first[0] + ITEMS; i++) {
              assertThat(sheaf.sync().get(String.format("{t}day:%03d", i))).isEqualTo("value" + i);
            }
            first[0] += 20;
          };
      assertThat(callsOfFourth(server, loop)).isLessThanOrEqualTo(MOST_COMMANDS);
      assertThat(learned(sheaf).keys()).isEqualTo("{t}day:* with numbers by steps of 1");
    }
  }

  @ForEachServer
  void sameKeysAsLastTime_areReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      Random random = new Random(1);
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < ITEMS; i++) {
        keys.add("{t}" + Integer.toString(random.nextInt(1_000_000), 36));
        sheaf.sync().set(keys.get(i), "value" + i);
      }
      long[] calls = {0};
      for (int round = 0; round < 6; round++) {
        reset(server);
        for (int i = 0; i < ITEMS; i++) {
          assertThat(sheaf.sync().get(keys.get(i))).isEqualTo("value" + i);
        }
        calls[0] = calls(server);
      }
      assertThat(calls[0]).isLessThanOrEqualTo(MOST_COMMANDS + 1);
      assertThat(learned(sheaf).keys()).isEqualTo("* with the keys of the loop before");
    }
  }

  /** A longer page begins with the keys of a shorter one, and each is read again at once. */
  @ForEachServer
  void sameKeysAndMore_becomeOneList(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      Random random = new Random(1);
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < ITEMS; i++) {
        keys.add("{t}" + Integer.toString(random.nextInt(1_000_000), 36));
        sheaf.sync().set(keys.get(i), "value" + i);
      }
      for (int length : List.of(10, 30, ITEMS)) {
        for (int round = 0; round < 6; round++) {
          reset(server);
          for (int i = 0; i < length; i++) {
            assertThat(sheaf.sync().get(keys.get(i))).isEqualTo("value" + i);
          }
        }
        assertThat(calls(server)).as("%d keys", length).isLessThanOrEqualTo(MOST_COMMANDS - 1);
      }
    }
  }

  /** The second loop goes over a part of the list that the first one left. */
  @ForEachServer
  void loopsAtTwoPlacesOverOneList_areTwoLoops(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      fill(sheaf);
      for (int round = 0; round < 8; round++) {
        reset(server);
        List<String> ids = sheaf.sync().lrange("queue", 0, -1);
        for (String id : ids.subList(0, 20)) {
          assertThat(sheaf.sync().get("item:{t}:" + id + ":v1")).isEqualTo("value" + id);
        }
        for (String id : ids.subList(40, 80)) {
          assertThat(sheaf.sync().get("item:{t}:" + id + ":v1")).isEqualTo("value" + id);
        }
      }
      assertThat(calls(server)).isLessThanOrEqualTo(2 * MOST_COMMANDS);
      assertThat(sheaf.loops())
          .extracting(LoopReport::learned)
          .filteredOn(learned -> learned != null)
          .hasSize(2)
          .allSatisfy(learned -> assertThat(learned.vain()).isZero());
    }
  }

  @ForEachServer
  void shuffledOrder_isReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      fill(sheaf);
      Random random = new Random(3);
      Runnable loop =
          () -> {
            List<String> ids = sheaf.sync().lrange("queue", 0, -1);
            Collections.shuffle(ids, random);
            assertThat(names(sheaf, ids)).isEqualTo(ids.stream().map(id -> "value" + id).toList());
          };
      assertThat(callsOfFourth(server, loop)).isLessThanOrEqualTo(MOST_COMMANDS + 3);
    }
  }

  /** HGETALL, HGET, EXISTS and TTL. */
  @ForEachServer
  void otherReads_areReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = learning(server)) {
      fill(sheaf);
      reset(server);
      for (int round = 0; round < 4; round++) {
        if (round == 3) {
          reset(server);
        }
        for (String id : sheaf.sync().smembers("cart")) {
          assertThat(sheaf.sync().hgetall("hash:{t}:" + id)).containsEntry("name", "name" + id);
        }
        for (String id : sheaf.sync().smembers("cart")) {
          assertThat(sheaf.sync().hget("hash:{t}:" + id, "name")).isEqualTo("name" + id);
        }
        for (String id : sheaf.sync().smembers("cart")) {
          assertThat(sheaf.sync().exists("hash:{t}:" + id)).isEqualTo(1);
        }
        for (String id : sheaf.sync().smembers("cart")) {
          assertThat(sheaf.sync().ttl("hash:{t}:" + id)).isEqualTo(-1);
        }
      }
      assertThat(sheaf.loops())
          .filteredOn(report -> report.learned() != null)
          .allSatisfy(report -> assertThat(report.learned().hits()).isEqualTo(ITEMS - 1))
          .extracting(LoopReport::command)
          .contains("HGETALL", "HGET", "EXISTS", "TTL");
    }
  }

  @ForEachServer
  void withoutTheOption_nothingIsReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      assertThat(callsOfFourth(server, () -> names(sheaf, sheaf.sync().smembers("cart"))))
          .isEqualTo(1 + ITEMS);
    }
  }

  @ForEachServer
  void placeWhoseReadsAreInVain_stops(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).learnLoops(PATIENT, 25).connect()) {
      fill(sheaf);
      for (int round = 0; round < 40; round++) {
        int left = round < 4 ? ITEMS : 2;
        for (String id : sheaf.sync().smembers("cart")) {
          if (left-- == 0) {
            break;
          }
          sheaf.sync().get("item:{t}:" + id + ":v1");
        }
      }
      Learned learned = learned(sheaf);
      assertThat(learned.state()).isEqualTo(Learned.State.STOPPED);
      assertThat(registry.get("sheaf.loops.read.ahead.stopped").counter().count()).isEqualTo(1);
      assertThat(registry.get("sheaf.loops.read.ahead").tag("outcome", "vain").counter().count())
          .isEqualTo(learned.vain());
    }
  }

  private static Learned learned(Sheaf<String, String> sheaf) {
    return sheaf.loops().stream()
        .map(LoopReport::learned)
        .filter(learned -> learned != null && learned.hits() > 0)
        .findFirst()
        .orElseThrow();
  }
}
