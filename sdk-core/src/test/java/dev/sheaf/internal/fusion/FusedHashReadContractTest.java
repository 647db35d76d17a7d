// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.fusion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** HGETs that travel together mean what each of them means alone. */
class FusedHashReadContractTest {

  private static final int FIELDS = 200;

  @ForEachServer
  void manyThreads_eachGetsItsOwnValue(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      ManyReaders.run(200, random -> check(sheaf, random.nextInt(2 * FIELDS)));
    }
  }

  /** Fields from {@link #FIELDS} on do not exist. */
  private static void check(Sheaf<String, String> sheaf, int field) {
    String value = sheaf.sync().hget("hash", "field" + field);
    if (field < FIELDS) {
      assertThat(value).isEqualTo("value" + field);
    } else {
      assertThat(value).isNull();
    }
  }

  /** Fills the hash, and reads of it once, as the first HGETs of a connection are not fused. */
  private static void fill(Sheaf<String, String> sheaf) {
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < FIELDS; i++) {
        String suffix = Integer.toString(i);
        batch.add(redis -> redis.hset("hash", "field" + suffix, "value" + suffix));
      }
    }
    readTogether(sheaf, "hash", "field0", "field1");
    sheaf.sync().hget("hash", "field0");
  }

  private static List<String> readTogether(
      Sheaf<String, String> sheaf, String hash, String... fields) {
    List<Deferred<String>> values = new ArrayList<>();
    try (Batch<String, String> batch = sheaf.batch()) {
      for (String field : fields) {
        values.add(batch.add(redis -> redis.hget(hash, field)));
      }
    }
    return values.stream().map(Deferred::get).toList();
  }

  private static String[] allFields() {
    String[] fields = new String[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
      fields[i] = "field" + i;
    }
    return fields;
  }

  @ForEachServer
  void hgetsOfOneMoment_travelAsFewHmgets(ServerUnderTest server) {
    for (ProtocolVersion protocol : ProtocolVersion.values()) {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      try (Sheaf<String, String> sheaf =
          Sheaf.builder(server.uri())
              .clientOptions(ClientOptions.builder().protocolVersion(protocol).build())
              .meterRegistry(registry)
              .connect()) {
        fill(sheaf);
        server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
        assertThat(readTogether(sheaf, "hash", allFields())).contains("value0", "value199");
        assertThat(server.commandCalls())
            .containsEntry("hmget", (long) FIELDS / BatchingOptions.defaults().maxFusedKeys())
            .doesNotContainKey("hget");
        assertThat(registry.get("sheaf.hget.fused").counter().count()).isEqualTo(FIELDS);
        assertThat(registry.get("sheaf.get.fused").counter().count()).isZero();
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void runsEndWhereTheHashChanges_soThatReadsKeepTheirOrder(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      sheaf.sync().hset("other", "field0", "elsewhere");
      sheaf.sync().set("string", "text");
      server.command("CONFIG", "RESETSTAT");
      try (Batch<String, String> batch = sheaf.batch()) {
        var first = batch.add(redis -> redis.hget("hash", "field1"));
        batch.add(redis -> redis.hget("hash", "field2"));
        var elsewhere = batch.add(redis -> redis.hget("other", "field0"));
        var third = batch.add(redis -> redis.hget("hash", "field3"));
        batch.add(redis -> redis.hget("hash", "field4"));
        var text = batch.get("string");
        assertThat(text.get()).isEqualTo("text");
        assertThat(first.get()).isEqualTo("value1");
        assertThat(elsewhere.get()).isEqualTo("elsewhere");
        assertThat(third.get()).isEqualTo("value3");
      }
      assertThat(server.commandCalls())
          .containsEntry("hmget", 2L)
          .containsEntry("hget", 1L)
          .containsEntry("get", 1L);
    }
  }

  @ForEachServer
  void readSeesTheWriteBeforeIt_andNotTheOneAfter(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        reads.add(sheaf.async().hget("hash", "field0"));
        reads.add(sheaf.async().hget("hash", "field1"));
        sheaf.async().hset("hash", "field1", "written" + i);
      }
      for (int i = 0; i < 50; i++) {
        assertThat(reads.get(2 * i).get(60, TimeUnit.SECONDS)).isEqualTo("value0");
        assertThat(reads.get(2 * i + 1).get(60, TimeUnit.SECONDS))
            .isEqualTo(i == 0 ? "value1" : "written" + (i - 1));
      }
    }
  }

  @ForEachServer
  void wrongType_isTheErrorOfEachCaller(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      sheaf.sync().set("string", "x");
      List<RedisFuture<String>> wrong = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        wrong.add(sheaf.async().hget("string", "field" + i));
      }
      RedisFuture<String> right = sheaf.async().hget("hash", "field3");
      for (RedisFuture<String> read : wrong) {
        assertThatThrownBy(() -> read.get(60, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .cause()
            .hasMessageStartingWith("WRONGTYPE");
      }
      assertThat(right.get(60, TimeUnit.SECONDS)).isEqualTo("value3");
      assertThat(readTogether(sheaf, "none", "a", "b")).containsOnlyNulls();
    }
  }

  @ForEachServer
  void equalFields_travelOnce_andEachCallerOwnsItsValue(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<byte[], byte[]> sheaf =
        Sheaf.builder(server.uri())
            .codec(ByteArrayCodec.INSTANCE)
            .meterRegistry(registry)
            .connect()) {
      byte[] hash = bytes("hash");
      sheaf.sync().hset(hash, bytes("a"), bytes("1"));
      List<byte[]> values = List.of();
      for (int i = 0; i < 3; i++) {
        List<Deferred<byte[]>> reads = new ArrayList<>();
        try (Batch<byte[], byte[]> batch = sheaf.batch()) {
          for (String field : new String[] {"a", "b", "a", "a", "b"}) {
            reads.add(batch.add(redis -> redis.hget(hash, bytes(field))));
          }
        }
        values = new ArrayList<>();
        for (Deferred<byte[]> read : reads) {
          values.add(read.get());
        }
        sheaf.sync().hget(hash, bytes("a"));
      }
      assertThat(registry.get("sheaf.hget.shared").counter().count()).isGreaterThanOrEqualTo(3);
      assertThat(values.get(1)).isNull();
      assertThat(values.get(4)).isNull();
      values.get(0)[0] = 'x';
      assertThat(values.get(2)).isEqualTo(bytes("1"));
      assertThat(values.get(3)).isEqualTo(bytes("1")).isNotSameAs(values.get(2));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @ForEachServer
  void hashFusionOff_sendsPlainHgets(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .batching(BatchingOptions.builder().hashFusion(false).build())
            .connect()) {
      fill(sheaf);
      assertThat(readTogether(sheaf, "hash", "field1", "field2"))
          .containsExactly("value1", "value2");
      assertThat(server.commandCalls()).doesNotContainKey("hmget");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void insideMulti_hgetsStayThemselves(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      server.command("CONFIG", "RESETSTAT");
      var redis = sheaf.standalone().async();
      redis.multi();
      redis.hget("hash", "field1");
      redis.hget("hash", "field2");
      TransactionResult result = redis.exec().get(60, TimeUnit.SECONDS);
      assertThat(result.<String>get(0)).isEqualTo("value1");
      assertThat(result.<String>get(1)).isEqualTo("value2");
      assertThat(server.commandCalls()).containsEntry("hget", 2L).doesNotContainKey("hmget");
    }
  }

  @ForEachServer
  void compressedValues_areRestoredForEach(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect();
        Sheaf<String, String> plain = Sheaf.connect(server.uri())) {
      String large = "compressible ".repeat(1_000);
      sheaf.sync().hset("hash", "large", large);
      sheaf.sync().hset("hash", "small", "s");
      assertThat(plain.sync().hget("hash", "large").length()).isLessThan(large.length() / 2);
      for (int i = 0; i < 3; i++) {
        assertThat(readTogether(sheaf, "hash", "large", "small", "none", "large"))
            .containsExactly(large, "s", null, large);
        sheaf.sync().hget("hash", "small");
      }
      assertThat(server.commandCalls()).containsKey("hmget");
    }
  }

  @ForEachServer
  void valueThatCannotBeDecoded_failsItsCallerAlone(ServerUnderTest server) throws Exception {
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
      RedisFuture<String> before = sheaf.async().hget("hash", "field6");
      RedisFuture<String> wrong = sheaf.async().hget("hash", "field7");
      RedisFuture<String> cancelled = sheaf.async().hget("hash", "field8");
      cancelled.cancel(true);
      RedisFuture<String> after = sheaf.async().hget("hash", "field9");
      assertThat(before.get(60, TimeUnit.SECONDS)).isEqualTo("value6");
      assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo("value9");
      assertThatThrownBy(() -> wrong.get(60, TimeUnit.SECONDS)).hasMessageContaining("no sevens");
    }
  }

  @ForEachServer
  void reactiveAndAsync_shareTheHmget(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      fill(sheaf);
      var reactive = sheaf.reactive().hget("hash", "field1").toFuture();
      RedisFuture<String> async = sheaf.async().hget("hash", "field2");
      assertThat(reactive.get(60, TimeUnit.SECONDS)).isEqualTo("value1");
      assertThat(async.get(60, TimeUnit.SECONDS)).isEqualTo("value2");
    }
  }
}
