// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

class GetAllContractTest {

  @ForEachServer
  void everyKeyHasItsOutcome_inTheOrderOfTheKeys(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().set("b", "");
      sheaf.sync().lpush("list", "x");

      Map<String, Result<String>> results =
          sheaf.getAll(List.of("list", "b", "none", "a", "b", "none"));

      assertThat(results.keySet()).containsExactly("list", "b", "none", "a");
      assertThat(results.get("a")).isEqualTo(new Result.Value<>("1"));
      assertThat(results.get("b")).isEqualTo(new Result.Value<>(""));
      assertThat(results.get("none")).isEqualTo(new Result.Absent<>());
      assertThatThrownBy(() -> results.get("list").orNull()).hasMessageStartingWith("WRONGTYPE");
      assertThat(results.get("list").orElse("other")).isEqualTo("other");
    }
  }

  @ForEachServer
  void moreKeysThanASlice_areAllRead(ServerUnderTest server) {
    int count = SheafBuilder.KEYS_PER_SLICE * 2 + 17;
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < count; i++) {
          String key = "key" + i;
          keys.add(key);
          if (i % 3 != 0) {
            batch.add(redis -> redis.set(key, "v" + key));
          }
        }
      }
      Map<String, Result<String>> results = sheaf.getAll(keys);
      assertThat(new ArrayList<>(results.keySet())).isEqualTo(keys);
      for (int i = 0; i < count; i++) {
        String expected = i % 3 == 0 ? null : "vkey" + i;
        assertThat(results.get("key" + i).orNull()).isEqualTo(expected);
      }
    }
  }

  @ForEachServer
  void textOfAnyCharacters_isReadAsGetReadsIt(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> texts =
          List.of("plain", "Schlüssel", "열쇠", "🗝 key", "a\u0000b", "x".repeat(5_000));
      texts.forEach(text -> sheaf.sync().set("of " + text, text));
      List<String> keys = texts.stream().map(text -> "of " + text).toList();
      assertThat(sheaf.getAll(keys).values()).extracting(Result::orNull).isEqualTo(texts);
      assertThat(keys).extracting(sheaf.sync()::get).isEqualTo(texts);
    }
  }

  @ForEachServer
  void async_answersTheSame(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      Map<String, Result<String>> results =
          sheaf.getAllAsync(List.of("none", "a")).get(60, TimeUnit.SECONDS);
      assertThat(results.keySet()).containsExactly("none", "a");
      assertThat(results.get("a").orNull()).isEqualTo("1");
      assertThat(results.get("none").isAbsent()).isTrue();
    }
  }

  @ForEachServer
  void noKeys_noRequest(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(sheaf.getAll(List.of())).isEmpty();
      assertThat(server.commandCalls()).doesNotContainKeys("get", "mget");
    }
  }

  @ForEachServer
  void nullKey_isNamedByItsIndex_andNothingIsRead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThatThrownBy(() -> sheaf.getAll(Arrays.asList("a", null)))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("The key at index 1 is null");
      assertThatThrownBy(() -> sheaf.sync().get(null)).isInstanceOf(RuntimeException.class);
      assertThat(server.commandCalls()).doesNotContainKeys("get", "mget");
    }
  }

  @ForEachServer
  void tooManyKeysWithoutBlocking_namesTheLimit(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i <= SheafBuilder.KEYS_PER_SLICE; i++) {
        keys.add("key" + i);
      }
      assertThatThrownBy(() -> sheaf.getAllAsync(keys))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("8192")
          .hasMessageContaining("8193")
          .hasMessageContaining("getAll");
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void fullQueueOfOneNode_isWaitedForByItsKeys(ServerUnderTest server) throws Exception {
    int most = 40;
    BatchingOptions small = BatchingOptions.builder().maxQueuedCommands(most).build();
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).batching(small).connect()) {
      Partitions nodes = sheaf.cluster().getPartitions();
      String first = "{0}key";
      String held =
          ownerOf(nodes, first).equals(ownerOf(nodes, "{1}key"))
              ? ownerOf(nodes, "{2}key")
              : ownerOf(nodes, "{1}key");
      assertThat(held).isNotEqualTo(ownerOf(nodes, first));
      List<String> others =
          IntStream.range(1, 1_000)
              .mapToObj(i -> "{" + i + "}key")
              .filter(key -> ownerOf(nodes, key).equals(held))
              .limit(10)
              .toList();
      List<String> keys = new ArrayList<>(List.of(first));
      keys.addAll(others);
      keys.forEach(key -> sheaf.sync().set(key, "of " + key));
      RedisURI address = nodes.getPartitionByNodeId(held).getUri();
      StatefulRedisConnection<String, String> node =
          sheaf.cluster().getConnection(address.getHost(), address.getPort());
      node.setAutoFlushCommands(false);
      for (int i = 0; i < most; i++) {
        sheaf.async().get(others.get(0));
      }
      AtomicBoolean asked = new AtomicBoolean();
      AtomicReference<Map<String, Result<String>>> values = new AtomicReference<>();
      Thread caller =
          new Thread(
              () -> {
                // So that it drives the event loop, most probably.
                IntStream.range(0, 100).forEach(i -> sheaf.sync().get(first));
                asked.set(true);
                values.set(sheaf.getAll(keys));
              });
      caller.start();
      Await.until(
          "the caller's wait",
          Duration.ofSeconds(60),
          () ->
              asked.get()
                  && (caller.getState() == Thread.State.TIMED_WAITING
                      || caller.getState() == Thread.State.TERMINATED));
      node.setAutoFlushCommands(true);
      node.flushCommands();
      caller.join(60_000);
      keys.forEach(key -> assertThat(values.get().get(key).orNull()).isEqualTo("of " + key));
    }
  }

  private static String ownerOf(Partitions nodes, String key) {
    return nodes.getMasterBySlot(SlotHash.getSlot(key)).getNodeId();
  }

  @ForEachServer
  void closedClient_failsEveryKey(ServerUnderTest server) {
    Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
    sheaf.close();
    sheaf.close();
    assertThat(sheaf.getAll(List.of("a", "b")).values())
        .hasSize(2)
        .allSatisfy(result -> assertThatThrownBy(result::orNull).hasMessageContaining("closed"));
    assertThatThrownBy(() -> sheaf.sync().get("a")).hasMessageContaining("closed");
  }
}
