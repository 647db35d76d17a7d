// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.codec.StringCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** GETs that travel together mean what each of them means alone. */
class FusedGetContractTest {

  private static final int KEYS = 400;

  @ForEachServer
  void manyThreads_eachGetsItsOwnValue(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      ManyReaders.run(400, random -> check(sheaf, random.nextInt(2 * KEYS)));
    }
  }

  /** Keys from {@link #KEYS} on do not exist. */
  private static void check(Sheaf<String, String> sheaf, int key) {
    String value = sheaf.sync().get("{t}key" + key);
    if (key < KEYS) {
      assertThat(value).isEqualTo("value" + key);
    } else {
      assertThat(value).isNull();
    }
  }

  private static void fill(Sheaf<String, String> sheaf) {
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < KEYS; i++) {
        String suffix = Integer.toString(i);
        batch.add(redis -> redis.set("{t}key" + suffix, "value" + suffix));
      }
    }
  }

  @ForEachServer
  void wrongType_isTheErrorOfThatKeyAlone(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      sheaf.sync().lpush("{t}list", "x");
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        reads.add(sheaf.async().get("{t}key" + i));
        reads.add(sheaf.async().get("{t}list"));
      }
      for (int i = 0; i < 50; i++) {
        assertThat(reads.get(2 * i).get(60, TimeUnit.SECONDS)).isEqualTo("value" + i);
        RedisFuture<String> wrong = reads.get(2 * i + 1);
        assertThatThrownBy(() -> wrong.get(60, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOf(RedisCommandExecutionException.class)
            .hasMessageStartingWith("WRONGTYPE");
      }
    }
  }

  /** Also the test that fails loudly when a new Lettuce breaks the link to its sockets. */
  @ForEachServer(on = Topology.STANDALONE)
  void getsOfOneMoment_travelAsFewMgets(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      server.command("CONFIG", "RESETSTAT");
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < KEYS; i++) {
          batch.get("{t}key" + i);
        }
      }
      long mgets = server.commandCalls().getOrDefault("mget", 0L);
      long gets = server.commandCalls().getOrDefault("get", 0L);
      assertThat(mgets).isEqualTo(KEYS / BatchingOptions.defaults().maxFusedKeys());
      assertThat(gets).isZero();
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void getsOfOneSlot_travelAsMget_andOthersDoNot(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      for (int i = 0; i < 20; i++) {
        sheaf.sync().set("{slot-" + i + "}", "v");
      }
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < 20; i++) {
          batch.get("{t}key" + i);
          batch.get("{slot-" + i + "}");
        }
      }
      assertThat(server.commandCalls()).containsEntry("mget", 1L).containsEntry("get", 20L);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void fusionOff_sendsPlainGets(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .batching(BatchingOptions.builder().fusion(false).build())
            .connect()) {
      fill(sheaf);
      sheaf.getAll(List.of("{t}key1", "{t}key2", "{t}key3"));
      assertThat(server.commandCalls()).containsEntry("get", 3L).doesNotContainKey("mget");
    }
  }

  @ForEachServer
  void valueThatCannotBeDecoded_failsItsKeyAlone(ServerUnderTest server) {
    StringCodec failing =
        new StringCodec() {
          @Override
          public String decodeValue(ByteBuffer bytes) {
            String value = super.decodeValue(bytes);
            if (value.equals("value7")) {
              throw new IllegalStateException("no sevens");
            }
            return value;
          }
        };
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).codec(failing).connect()) {
      fill(sheaf);
      var results = sheaf.getAll(List.of("{t}key6", "{t}key7", "{t}key8"));
      assertThat(results.get("{t}key6").orNull()).isEqualTo("value6");
      assertThat(results.get("{t}key7").isFailure()).isTrue();
      assertThat(results.get("{t}key8").orNull()).isEqualTo("value8");
      assertThat(sheaf.sync().get("{t}key9")).isEqualTo("value9");
    }
  }

  @ForEachServer
  void keyThatCannotBeEncoded_failsItsCommandAlone(ServerUnderTest server) throws Exception {
    StringCodec failing =
        new StringCodec() {
          @Override
          public ByteBuffer encodeValue(String value) {
            throw new IllegalStateException("no values today");
          }

          @Override
          public void encodeValue(String value, io.netty.buffer.ByteBuf target) {
            throw new IllegalStateException("no values today");
          }
        };
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).codec(failing).connect()) {
      RedisFuture<String> before = sheaf.async().get("k");
      RedisFuture<String> wrong = sheaf.async().set("k", "v");
      RedisFuture<String> after = sheaf.async().get("k");
      assertThat(before.get(60, TimeUnit.SECONDS)).isNull();
      assertThat(after.get(60, TimeUnit.SECONDS)).isNull();
      assertThatThrownBy(() -> wrong.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(SheafException.class)
          .hasMessageContaining("SET")
          .hasMessageContaining("no values today");
    }
  }
}
