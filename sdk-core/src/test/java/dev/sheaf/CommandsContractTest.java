// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Flux;

/** Lettuce's command interfaces answer through Sheaf what they answer without it. */
class CommandsContractTest {

  @ForEachServer
  void sync_coversEveryKindOfReply(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(sheaf.isCluster()).isEqualTo(server.isCluster());
      assertThat(sheaf.sync().ping()).isEqualTo("PONG");
      assertThat(sheaf.sync().set("k", "v")).isEqualTo("OK");
      assertThat(sheaf.sync().get("k")).isEqualTo("v");
      assertThat(sheaf.sync().get("none")).isNull();
      assertThat(sheaf.sync().incrby("n", 41)).isEqualTo(41);
      assertThat(sheaf.sync().hset("h", Map.of("a", "1", "b", "2"))).isEqualTo(2);
      assertThat(sheaf.sync().hgetall("h")).containsOnly(Map.entry("a", "1"), Map.entry("b", "2"));
      assertThat(sheaf.sync().rpush("l", "x", "y", "z")).isEqualTo(3);
      assertThat(sheaf.sync().lrange("l", 0, -1)).containsExactly("x", "y", "z");
      assertThat(sheaf.sync().zadd("z", 1.5, "m")).isEqualTo(1);
      assertThat(sheaf.sync().zscore("z", "m")).isEqualTo(1.5);
      assertThat(sheaf.sync().expire("k", Duration.ofMinutes(1))).isTrue();
      assertThat(sheaf.sync().ttl("k")).isBetween(1L, 60L);
      assertThat(sheaf.sync().mget("k", "none", "n"))
          .containsExactly(
              KeyValue.just("k", "v"), KeyValue.empty("none"), KeyValue.just("n", "41"));
      assertThatThrownBy(() -> sheaf.sync().incr("k"))
          .isInstanceOf(RedisCommandExecutionException.class)
          .hasMessageStartingWith("ERR value is not an integer");
    }
  }

  @ForEachServer
  void scripts_runThroughTheSameConnection(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Long sum =
          sheaf
              .sync()
              .eval(
                  "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('INCR', KEYS[1])",
                  ScriptOutputType.INTEGER,
                  new String[] {"counter"},
                  "41");
      assertThat(sum).isEqualTo(42);
    }
  }

  @ForEachServer
  void async_keepsTheOrderOfOneCaller(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        sheaf.async().set("key", "v" + i);
        reads.add(sheaf.async().get("key"));
        reads.add(sheaf.async().get("key"));
      }
      for (int i = 0; i < reads.size(); i++) {
        assertThat(reads.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("v" + i / 2);
      }
    }
  }

  @ForEachServer
  void async_aReadBeforeTheOwnWriteDoesNotSeeIt(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        reads.add(sheaf.async().get("{t}" + i));
        reads.add(sheaf.async().get("{t}other" + i));
        sheaf.async().set("{t}" + i, "later");
      }
      for (RedisFuture<String> read : reads) {
        assertThat(read.get(60, TimeUnit.SECONDS)).isNull();
      }
    }
  }

  @ForEachServer
  void reactive_answersAndStreams(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Flux.range(0, 200)
          .flatMap(i -> sheaf.reactive().set("r" + i, "v" + i))
          .blockLast(Duration.ofSeconds(60));
      List<String> values =
          Flux.range(0, 200)
              .flatMapSequential(i -> sheaf.reactive().get("r" + i))
              .collectList()
              .block(Duration.ofSeconds(60));
      assertThat(values).hasSize(200).startsWith("v0", "v1").endsWith("v199");

      sheaf.reactive().rpush("list", "a", "b", "c").block(Duration.ofSeconds(60));
      assertThat(sheaf.reactive().lrange("list", 0, -1).collectList().block(Duration.ofSeconds(60)))
          .containsExactly("a", "b", "c");
      assertThat(sheaf.reactive().get("absent").blockOptional(Duration.ofSeconds(10))).isEmpty();
    }
  }

  @ForEachServer
  void binaryCodec_keepsEveryByte(ServerUnderTest server) {
    byte[] key = {0, '\r', '\n', '$', (byte) 0xff};
    byte[] value = new byte[70_000];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) (i * 31);
    }
    try (Sheaf<byte[], byte[]> sheaf =
        Sheaf.builder(server.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
      sheaf.sync().set(key, value);
      assertThat(sheaf.sync().get(key)).isEqualTo(value);
      assertThat(sheaf.getAll(List.of(key)).get(key).orNull()).isEqualTo(value);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void transaction_passesThroughWhole(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RedisCommands<String, String> commands = sheaf.standalone().sync();
      commands.set("a", "1");
      commands.multi();
      commands.get("a");
      commands.get("a");
      commands.incr("a");
      commands.get("a");
      TransactionResult result = commands.exec();
      assertThat(result.stream().map(Object::toString)).containsExactly("1", "1", "2", "2");
      assertThat(server.commandCalls()).doesNotContainKey("mget");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void cluster_onAStandaloneServer_saysWhatToCallInstead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThatThrownBy(sheaf::cluster)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("standalone()");
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void standalone_onACluster_saysWhatToCallInstead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThatThrownBy(sheaf::standalone)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("cluster()");
      assertThat(sheaf.cluster().getPartitions()).hasSize(6);
    }
  }
}
