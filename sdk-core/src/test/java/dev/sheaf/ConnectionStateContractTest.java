// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.RespConnection;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** GETs that travel together, on a connection whose state changes beside them. */
class ConnectionStateContractTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  @ForEachServer(on = Topology.STANDALONE)
  void getsBeforeSelect_areOfTheDatabaseBefore(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      var redis = sheaf.standalone().async();
      sheaf.sync().set("both", "zero");
      sheaf.sync().lpush("list0", "x");
      sheaf.standalone().sync().select(1);
      sheaf.sync().set("both", "one");
      sheaf.sync().lpush("list1", "x");
      sheaf.standalone().sync().select(0);
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> both0 = batch.get("both");
        Deferred<String> list0in0 = batch.get("list0");
        Deferred<String> list1in0 = batch.get("list1");
        batch.add(commands -> redis.select(1));
        Deferred<String> both1 = batch.get("both");
        Deferred<String> list0in1 = batch.get("list0");
        Deferred<String> list1in1 = batch.get("list1");
        assertThat(both0.get()).isEqualTo("zero");
        assertThat(both1.get()).isEqualTo("one");
        assertThat(list1in0.get()).isNull();
        assertThat(list0in1.get()).isNull();
        assertThatThrownBy(list0in0::get).hasMessageStartingWith("WRONGTYPE");
        assertThatThrownBy(list1in1::get).hasMessageStartingWith("WRONGTYPE");
      }
    }
  }

  @ForEachServer
  void wrongTypeBeforeFlush_isAnErrorStill(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().lpush("{t}list", "x");
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> missing = batch.get("{t}missing");
        Deferred<String> list = batch.get("{t}list");
        batch.add(redis -> redis.flushall());
        assertThat(missing.get()).isNull();
        assertThatThrownBy(list::get).hasMessageStartingWith("WRONGTYPE");
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void watchedKeyThatChanges_discardsTheTransaction_besideFusedGets(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RedisAsyncCommands<String, String> redis = sheaf.standalone().async();
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "2");
      try (Batch<String, String> batch = sheaf.batch()) {
        batch.add(commands -> redis.watch("a"));
        Deferred<String> a = batch.get("a");
        Deferred<String> b = batch.get("b");
        assertThat(a.get()).isEqualTo("1");
        assertThat(b.get()).isEqualTo("2");
      }
      server.command("SET", "a", "changed");
      redis.multi();
      redis.set("b", "never");
      assertThat(redis.exec().get(60, TimeUnit.SECONDS).wasDiscarded()).isTrue();
      assertThat(sheaf.getAll(List.of("a", "b")).get("a").orNull()).isEqualTo("changed");
      assertThat(sheaf.sync().get("b")).isEqualTo("2");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void transactionsBetweenGets_leaveEachItsOwnReply(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RedisAsyncCommands<String, String> redis = sheaf.standalone().async();
      for (int i = 0; i < 20; i++) {
        sheaf.sync().set("key" + i, "value" + i);
      }
      for (int round = 0; round < 100; round++) {
        List<RedisFuture<String>> reads = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          reads.add(redis.get("key" + i));
        }
        redis.watch("watched");
        redis.multi();
        for (int i = 0; i < 20; i++) {
          reads.add(redis.get("key" + i));
        }
        RedisFuture<Long> count = redis.incr("counter");
        RedisFuture<TransactionResult> result = redis.exec();
        for (int i = 0; i < 20; i++) {
          reads.add(redis.get("key" + i));
        }
        assertThat(result.get(60, TimeUnit.SECONDS).size()).isEqualTo(21);
        assertThat(count.get(60, TimeUnit.SECONDS)).isEqualTo(round + 1L);
        for (int i = 0; i < reads.size(); i++) {
          assertThat(reads.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("value" + i % 20);
        }
      }
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void replicaReads_fuseAndAnswerAsThePrimaryDoes(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        keys.add("{r}key" + i);
        if (i % 3 != 0) {
          sheaf.sync().set("{r}key" + i, "value" + i);
        }
      }
      sheaf.sync().lpush("{r}list", "x");
      for (ServerUnderTest.Node primary : server.primaries()) {
        server.command(primary, "WAIT", "1", "5000");
      }
      sheaf.cluster().setReadFrom(ReadFrom.REPLICA);
      // The first read opens the connection to the replica.
      Await.until(
          "a replica to answer", SOON, () -> "value1".equals(sheaf.sync().get(keys.get(1))));
      long before = mgetsOfReplicas(server);
      var results = sheaf.getAll(keys);
      for (int i = 0; i < 60; i++) {
        assertThat(results.get("{r}key" + i).orNull()).isEqualTo(i % 3 == 0 ? null : "value" + i);
      }
      assertThatThrownBy(() -> sheaf.getAll(List.of("{r}list", "{r}key1")).get("{r}list").orNull())
          .hasMessageStartingWith("WRONGTYPE");
      assertThat(mgetsOfReplicas(server)).isGreaterThan(before);
      assertThat(server.commandCalls()).doesNotContainKey("mget");
      assertThat(sheaf.existsAll(List.of("{r}key1", "{r}key0")).values())
          .containsExactly(new Result.Value<>(true), new Result.Absent<>());
      assertThat(sheaf.setAll(java.util.Map.of("{r}key0", "v")).values())
          .containsExactly(new Result.Value<>(true));
    }
  }

  private static long mgetsOfReplicas(ServerUnderTest server) {
    List<ServerUnderTest.Node> replicas = new ArrayList<>(server.nodes());
    replicas.removeAll(server.primaries());
    return replicas.stream()
        .mapToLong(node -> server.commandCalls(node).getOrDefault("mget", 0L))
        .sum();
  }

  @ForEachServer(on = Topology.STANDALONE)
  void clientTracking_tellsOfEachKeyThatWasReadInAnMget(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      StatefulRedisConnection<String, String> connection = sheaf.standalone();
      Set<String> invalidated = invalidations(connection);
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        keys.add("key" + i);
        sheaf.sync().set("key" + i, "value" + i);
      }
      connection.sync().clientTracking(TrackingArgs.Builder.enabled());
      assertThat(sheaf.getAll(keys).values()).allMatch(Result::isPresent);
      assertThat(server.commandCalls()).containsKey("mget");
      write(server, keys, "other");
      Await.until("the invalidations", SOON, () -> invalidated.containsAll(keys));
      assertThat(sheaf.getAll(keys).values()).allMatch(value -> value.orElse("").equals("other"));

      invalidated.clear();
      write(server, keys, "third");
      Await.until("them again, once read again", SOON, () -> invalidated.containsAll(keys));
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void clientTrackingByPrefix_arrivesBetweenTheRepliesOfFusedGets(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Set<String> invalidated = invalidations(sheaf.standalone());
      sheaf
          .standalone()
          .sync()
          .clientTracking(TrackingArgs.Builder.enabled().bcast().prefixes("key"));
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        keys.add("key" + i);
      }
      List<String> others = List.of("other0", "other1");
      for (int round = 0; round < 50; round++) {
        String value = "value" + round;
        List<String> all = new ArrayList<>(keys);
        all.addAll(others);
        List<RedisFuture<String>> reads = new ArrayList<>();
        for (String key : all) {
          reads.add(sheaf.async().get(key));
        }
        write(server, all, value);
        for (RedisFuture<String> read : reads) {
          String seen = read.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
          assertThat(seen).isIn(round == 0 ? null : "value" + (round - 1), value);
        }
        Await.until("the invalidations", SOON, () -> invalidated.containsAll(keys));
        assertThat(invalidated).doesNotContainAnyElementsOf(others);
        invalidated.clear();
      }
    }
  }

  private static void write(ServerUnderTest server, List<String> keys, String value) {
    try (RespConnection other = server.nodes().get(0).connect()) {
      for (String key : keys) {
        other.call("SET", key, value);
      }
    }
  }

  private static Set<String> invalidations(StatefulRedisConnection<String, String> connection) {
    Set<String> invalidated = ConcurrentHashMap.newKeySet();
    connection.addListener(
        message -> {
          if (message.getType().equals("invalidate")
              && message.getContent(StringCodec.UTF8::decodeKey).get(1) instanceof List<?> keys) {
            keys.forEach(key -> invalidated.add(String.valueOf(key)));
          }
        });
    return invalidated;
  }

  /** Without replies, every later one would be taken for that of an earlier command. */
  @ForEachServer(on = Topology.STANDALONE)
  void commandThatTakesRepliesAway_isRefused_andNothingIsMixedUp(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "2");
      for (String mode : List.of("OFF", "SKIP", "off", "Skip")) {
        RedisFuture<String> before = sheaf.async().get("a");
        RedisFuture<String> reply = clientReply(sheaf, mode);
        RedisFuture<String> after = sheaf.async().get("b");
        assertThat(before.get(60, TimeUnit.SECONDS)).isEqualTo("1");
        assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo("2");
        assertThatThrownBy(() -> reply.get(60, TimeUnit.SECONDS))
            .cause()
            .isInstanceOf(SheafException.class)
            .hasMessageContaining("CLIENT REPLY");
      }
      assertThat(clientReply(sheaf, "ON").get(60, TimeUnit.SECONDS)).isEqualTo("OK");
      assertThat(sheaf.sync().clientSetname("x")).isEqualTo("OK");
    }
  }

  /** With RESP3, subscriptions are answered by pushes alone. */
  @ForEachServer(on = Topology.STANDALONE)
  void commandsWithoutAReplyOfTheirOwn_areRefused_andNothingIsMixedUp(ServerUnderTest server)
      throws Exception {
    List<CommandType> commands =
        List.of(
            CommandType.SUBSCRIBE,
            CommandType.PSUBSCRIBE,
            CommandType.SSUBSCRIBE,
            CommandType.UNSUBSCRIBE,
            CommandType.PUNSUBSCRIBE,
            CommandType.SUNSUBSCRIBE,
            CommandType.MONITOR,
            CommandType.SYNC);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "2");
      for (CommandType command : commands) {
        RedisFuture<String> before = sheaf.async().get("a");
        RedisFuture<String> refused =
            sheaf
                .async()
                .dispatch(
                    command,
                    new StatusOutput<>(StringCodec.UTF8),
                    new CommandArgs<>(StringCodec.UTF8).add("channel"));
        RedisFuture<String> after = sheaf.async().get("b");
        assertThat(before.get(60, TimeUnit.SECONDS)).isEqualTo("1");
        assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo("2");
        assertThatThrownBy(() -> refused.get(60, TimeUnit.SECONDS))
            .cause()
            .isInstanceOf(SheafException.class)
            .hasMessageContaining(command + " cannot be sent on a connection that many callers");
      }
    }
  }

  private static RedisFuture<String> clientReply(Sheaf<String, String> sheaf, String mode) {
    return sheaf
        .async()
        .dispatch(
            CommandType.CLIENT,
            new StatusOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).add("REPLY").add(mode));
  }
}
