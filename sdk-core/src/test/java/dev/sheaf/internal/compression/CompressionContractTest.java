// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.GetExArgs;
import io.lettuce.core.HGetExArgs;
import io.lettuce.core.HSetExArgs;
import io.lettuce.core.KeyValue;
import io.lettuce.core.LMoveArgs;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.Range;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.SortArgs;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Through every face, values are what they were, and what is stored is smaller. */
@SuppressWarnings({
  "deprecation",
  "unchecked"
}) // Old commands must work too; Lettuce has generic varargs.
class CompressionContractTest {

  private static final String SMALL = "small";
  private static final String MEDIUM = Samples.text(2_000, 1);
  private static final String LARGE = Samples.text(200_000, 2);
  private static final List<String> VALUES = List.of(SMALL, MEDIUM, LARGE);

  @ForEachServer
  void strings_comeBackAsTheyWere(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      for (String value : VALUES) {
        sheaf.sync().set("k", value);
        boolean compressed = value.length() > 256;
        assertThat(isEnvelope(plain.sync().get("k"))).isEqualTo(compressed);
        assertThat(plain.sync().get("k").length).isLessThanOrEqualTo(value.length());
        assertThat(sheaf.sync().get("k")).isEqualTo(value);
        assertThat(sheaf.sync().getset("k", MEDIUM)).isEqualTo(value);
        assertThat(sheaf.sync().setGet("k", value)).isEqualTo(MEDIUM);
        assertThat(sheaf.sync().getex("k", GetExArgs.Builder.persist())).isEqualTo(value);
        assertThat(sheaf.sync().getdel("k")).isEqualTo(value);
        sheaf.sync().setex("k", 100, value);
        assertThat(sheaf.sync().get("k")).isEqualTo(value);
        sheaf.sync().psetex("k", 100_000, value);
        assertThat(isEnvelope(plain.sync().get("k"))).isEqualTo(compressed);
        assertThat(sheaf.sync().get("k")).isEqualTo(value);
        assertThat(sheaf.sync().setnx("other:" + value.length(), value)).isTrue();
        assertThat(sheaf.sync().get("other:" + value.length())).isEqualTo(value);
        assertThat(sheaf.sync().set("k", value, SetArgs.Builder.xx().ex(100))).isEqualTo("OK");
        assertThat(sheaf.sync().get("k")).isEqualTo(value);
      }
    }
  }

  @ForEachServer
  void fieldsWithATimeToLive_comeBackAsTheyWere(ServerUnderTest server) {
    assumeTrue(
        ((List<?>) server.command("COMMAND", "INFO", "hsetex")).get(0) instanceof List<?>,
        "this server has no HSETEX, which came with Redis 8.0");
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      sheaf
          .sync()
          .hsetex(
              "h",
              HSetExArgs.Builder.ex(Duration.ofSeconds(1_000)),
              Map.of("large", LARGE, "small", SMALL));
      assertThat(isEnvelope(plain.sync().hget("h", "large"))).isTrue();
      assertThat(isEnvelope(plain.sync().hget("h", "small"))).isFalse();
      assertThat(sheaf.sync().hget("h", "large")).isEqualTo(LARGE);
      assertThat(sheaf.sync().httl("h", "large").get(0)).isBetween(900L, 1_000L);
      assertThat(sheaf.sync().hgetex("h", HGetExArgs.Builder.persist(), "large", "small"))
          .extracting(KeyValue::getValue)
          .containsExactly(LARGE, SMALL);
      assertThat(sheaf.sync().httl("h", "large")).containsExactly(-1L);
      sheaf.sync().hexpire("h", 1_000, "large");
      assertThat(sheaf.sync().httl("h", "large").get(0)).isBetween(900L, 1_000L);
      assertThat(sheaf.sync().hgetdel("h", "large").get(0).getValue()).isEqualTo(LARGE);
      assertThat(sheaf.sync().hget("h", "large")).isNull();
    }
  }

  @ForEachServer
  void valueBehindManyThatDoNotCompress_isCompressed(ServerUnderTest server) {
    try (Sheaf<String, byte[]> sheaf =
            Sheaf.builder(server.uri())
                .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
                .compression(CompressionOptions.defaults())
                .connect();
        Sheaf<String, byte[]> plain = plain(server)) {
      Random random = new Random(1);
      byte[] noise = new byte[1_000];
      for (int i = 0; i < 200; i++) {
        random.nextBytes(noise);
        sheaf.sync().set("page:" + i, noise);
      }
      assertThat(plain.sync().get("page:199")).isEqualTo(noise);
      sheaf.sync().set("page:text", MEDIUM.getBytes(StandardCharsets.UTF_8));
      assertThat(isEnvelope(plain.sync().get("page:text"))).isTrue();
    }
  }

  @ForEachServer
  void manyKeys_comeBackAsTheyWere(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      Map<String, String> values = values(60);
      sheaf.sync().mset(values);
      assertThat(isEnvelope(plain.sync().get("key:1"))).isTrue();
      List<String> keys = new ArrayList<>(values.keySet());
      keys.add("none");
      List<KeyValue<String, String>> read = sheaf.sync().mget(keys.toArray(String[]::new));
      for (int i = 0; i < keys.size(); i++) {
        assertThat(read.get(i).getValueOrElse(null)).isEqualTo(values.get(keys.get(i)));
      }
      Map<String, Result<String>> all = sheaf.getAll(keys);
      assertThat(all.keySet()).containsExactlyElementsOf(keys);
      all.forEach((key, result) -> assertThat(result.orNull()).isEqualTo(values.get(key)));
      assertThat(sheaf.sync().msetnx(values(3, "fresh:"))).isTrue();
      assertThat(sheaf.sync().get("fresh:1")).isEqualTo(values.get("key:1"));
    }
  }

  @ForEachServer
  void asynchronousAndReactive_andFusedGets(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      Map<String, String> values = values(60);
      List<RedisFuture<?>> writes = new ArrayList<>();
      values.forEach((key, value) -> writes.add(sheaf.async().set(key, value)));
      for (RedisFuture<?> write : writes) {
        write.get(60, TimeUnit.SECONDS);
      }
      for (int round = 0; round < 5; round++) {
        Map<String, RedisFuture<String>> reads = new LinkedHashMap<>();
        values.keySet().forEach(key -> reads.put(key, sheaf.async().get(key)));
        for (Map.Entry<String, RedisFuture<String>> read : reads.entrySet()) {
          assertThat(read.getValue().get(60, TimeUnit.SECONDS))
              .isEqualTo(values.get(read.getKey()));
        }
      }
      for (String key : values.keySet()) {
        assertThat(sheaf.reactive().get(key).block(Duration.ofSeconds(60)))
            .isEqualTo(values.get(key));
      }
      assertThat(
              sheaf
                  .reactive()
                  .mget(values.keySet().toArray(String[]::new))
                  .map(KeyValue::getValue)
                  .collectList()
                  .block(Duration.ofSeconds(60)))
          .containsExactlyElementsOf(values.values());
    }
  }

  @ForEachServer
  void reactiveWithLittleDemand_getsEveryElement(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      List<String> elements = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        elements.add(VALUES.get(i % 3) + i);
      }
      sheaf.sync().rpush("list", elements.toArray(String[]::new));
      assertThat(
              sheaf
                  .reactive()
                  .lrange("list", 0, -1)
                  .limitRate(1)
                  .collectList()
                  .block(Duration.ofSeconds(60)))
          .isEqualTo(elements);
      sheaf.sync().hset("hash", values(10, "field"));
      assertThat(
              sheaf
                  .reactive()
                  .hgetall("hash")
                  .limitRate(1)
                  .collectMap(KeyValue::getKey, KeyValue::getValue)
                  .block(Duration.ofSeconds(60)))
          .isEqualTo(values(10, "field"));
    }
  }

  @ForEachServer
  void batchesAndLoops(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      Map<String, String> values = values(60);
      Map<String, Deferred<String>> deferred = new LinkedHashMap<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        values.forEach((key, value) -> batch.add(redis -> redis.set(key, value)));
        values.keySet().forEach(key -> deferred.put(key, batch.get(key)));
        deferred.forEach((key, value) -> assertThat(value.get()).isEqualTo(values.get(key)));
      }
      for (String key : sheaf.loop(values.keySet())) {
        assertThat(sheaf.sync().get(key)).isEqualTo(values.get(key));
      }
      assertThat(sheaf.mapEach(values.keySet(), key -> sheaf.sync().get(key)))
          .containsExactlyElementsOf(values.values());
    }
  }

  @ForEachServer
  void hashes_keepFields_andCompressValues(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      Map<String, String> values = values(9, "field");
      sheaf.sync().hset("h", values);
      assertThat(isEnvelope(plain.sync().hget("h", "field1"))).isTrue();
      assertThat(sheaf.sync().hgetall("h")).isEqualTo(values);
      assertThat(sheaf.sync().hvals("h")).containsExactlyInAnyOrderElementsOf(values.values());
      assertThat(sheaf.sync().hmget("h", "field1", "none", "field2"))
          .extracting(value -> value.getValueOrElse(null))
          .containsExactly(values.get("field1"), null, values.get("field2"));
      assertThat(sheaf.sync().hset("h", "one", LARGE)).isTrue();
      assertThat(sheaf.sync().hget("h", "one")).isEqualTo(LARGE);
      assertThat(sheaf.sync().hsetnx("h", "two", MEDIUM)).isTrue();
      assertThat(sheaf.sync().hmset("h", Map.of("three", MEDIUM))).isEqualTo("OK");
      assertThat(sheaf.sync().hget("h", "two")).isEqualTo(sheaf.sync().hget("h", "three"));
      Map<String, String> scanned = new LinkedHashMap<>();
      MapScanCursor<String, String> page = sheaf.sync().hscan("h");
      scanned.putAll(page.getMap());
      while (!page.isFinished()) {
        page = sheaf.sync().hscan("h", page);
        scanned.putAll(page.getMap());
      }
      assertThat(scanned).containsAllEntriesOf(values);
      // A long field must stay a field.
      sheaf.sync().hset("h2", MEDIUM, "v");
      assertThat(sheaf.sync().hkeys("h2")).containsExactly(MEDIUM);
    }
  }

  @ForEachServer
  void lists(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      sheaf.sync().rpush("{l}1", SMALL, MEDIUM, LARGE);
      assertThat(isEnvelope(plain.sync().lindex("{l}1", 2))).isTrue();
      assertThat(sheaf.sync().lrange("{l}1", 0, -1)).isEqualTo(VALUES);
      assertThat(sheaf.sync().lindex("{l}1", 1)).isEqualTo(MEDIUM);
      sheaf.sync().lset("{l}1", 0, LARGE);
      assertThat(sheaf.sync().linsert("{l}1", true, "none", MEDIUM)).isEqualTo(-1);
      assertThat(sheaf.sync().lmove("{l}1", "{l}2", LMoveArgs.Builder.leftRight()))
          .isEqualTo(LARGE);
      assertThat(sheaf.sync().rpoplpush("{l}2", "{l}1")).isEqualTo(LARGE);
      assertThat(sheaf.sync().lpop("{l}1", 2)).containsExactly(LARGE, MEDIUM);
      assertThat(sheaf.sync().blpop(1, "{l}1").getValue()).isEqualTo(LARGE);
    }
  }

  @ForEachServer
  void streams(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      String id = sheaf.sync().xadd("s", Map.of("field", MEDIUM, "large", LARGE));
      List<StreamMessage<String, String>> entries = sheaf.sync().xrange("s", Range.unbounded());
      assertThat(entries.get(0).getBody()).isEqualTo(Map.of("field", MEDIUM, "large", LARGE));
      assertThat(entries.get(0).getId()).isEqualTo(id);
      assertThat(sheaf.sync().xread(XReadArgs.StreamOffset.from("s", "0")).get(0).getBody())
          .isEqualTo(Map.of("field", MEDIUM, "large", LARGE));
      assertThat(
              isEnvelope(plain.sync().xrange("s", Range.unbounded()).get(0).getBody().get("field")))
          .isTrue();
    }
  }

  @ForEachServer
  void membersAndMessagesAndScripts_passAsTheyAre(ServerUnderTest server) {
    byte[] envelope =
        ValueCompression.of(CompressionOptions.defaults())
            .compress(new byte[0], Samples.json(500, 1));
    try (Sheaf<String, byte[]> sheaf =
        Sheaf.builder(server.uri())
            .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
            .compression(CompressionOptions.defaults())
            .connect()) {
      byte[] member = Samples.json(2_000, 1);
      sheaf.sync().sadd("set", member, envelope);
      assertThat(sheaf.sync().smembers("set")).containsExactlyInAnyOrder(member, envelope);
      assertThat(sheaf.sync().sismember("set", member)).isTrue();
      sheaf.sync().zadd("zset", 1, envelope);
      assertThat(sheaf.sync().zrange("zset", 0, -1)).containsExactly(envelope);
      byte[] echoed =
          sheaf.sync().eval("return ARGV[1]", ScriptOutputType.VALUE, new String[] {"k"}, envelope);
      assertThat(echoed).isEqualTo(envelope);
      // A value that is an envelope is still that value.
      sheaf.sync().set("k", envelope);
      assertThat(sheaf.sync().get("k")).isEqualTo(envelope);
      sheaf.sync().hset("h", "f", envelope);
      assertThat(sheaf.sync().hget("h", "f")).isEqualTo(envelope);
    }
  }

  @ForEachServer
  void counters_work(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      sheaf.sync().set("n", "41");
      assertThat(sheaf.sync().incr("n")).isEqualTo(42);
      assertThat(sheaf.sync().incrbyfloat("n", 0.5)).isEqualTo(42.5);
      assertThat(sheaf.sync().get("n")).isEqualTo("42.5");
      assertThat(sheaf.sync().hincrby("h", "n", 3)).isEqualTo(3);
      assertThat(sheaf.sync().hget("h", "n")).isEqualTo("3");
    }
  }

  @ForEachServer
  void commandsOnStoredBytes_areRefused_unlessCompressionIsOff(ServerUnderTest server) {
    CompressionOptions options =
        CompressionOptions.of(
            CompressionPolicy.of("page:", Compressor.snappy()), CompressionPolicy.off("page:raw:"));
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).compression(options).connect()) {
      sheaf.sync().set("page:1", MEDIUM);
      assertRefused(() -> sheaf.sync().append("page:1", "x"), "APPEND", "page:1");
      assertRefused(() -> sheaf.sync().strlen("page:1"), "STRLEN", "page:1");
      assertRefused(() -> sheaf.sync().getrange("page:1", 0, 1), "GETRANGE", "page:1");
      assertRefused(() -> sheaf.sync().setrange("page:1", 0, "x"), "SETRANGE", "page:1");
      assertRefused(() -> sheaf.sync().getbit("page:1", 0), "GETBIT", "page:1");
      assertRefused(() -> sheaf.sync().bitcount("page:1"), "BITCOUNT", "page:1");
      assertRefused(() -> sheaf.sync().sort("page:1", SortArgs.Builder.alpha()), "SORT", "page:1");
      assertRefused(
          () -> sheaf.sync().sort("ids", SortArgs.Builder.get("page:*")), "SORT", "page:*");
      assertRefused(() -> sheaf.sync().lrem("page:list", 0, MEDIUM), "LREM", "page:list");
      assertThat(sheaf.sync().lrem("page:list", 0, "short")).isZero();
      assertThat(sheaf.sync().append("page:raw:1", "abc")).isEqualTo(3);
      assertThat(sheaf.sync().strlen("page:raw:1")).isEqualTo(3);
      assertThat(sheaf.sync().get("page:1")).isEqualTo(MEDIUM);
    }
  }

  @ForEachServer
  void valueRenamedOrCopiedOutOfItsPolicy_isNotDestroyed(ServerUnderTest server) {
    CompressionOptions options =
        CompressionOptions.of(CompressionPolicy.of("page:", Compressor.snappy()));
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).compression(options).connect()) {
      sheaf.sync().set("page:{1}", MEDIUM);
      sheaf.sync().copy("page:{1}", "copy:{1}");
      sheaf.sync().rename("page:{1}", "renamed:{1}");
      for (String key : List.of("copy:{1}", "renamed:{1}")) {
        assertRefused(() -> sheaf.sync().append(key, "x"), "APPEND", key);
        assertRefused(() -> sheaf.sync().strlen(key), "STRLEN", key);
        assertThat(sheaf.sync().get(key)).isEqualTo(MEDIUM);
      }
      assertRefused(
          () -> sheaf.sync().sort("ids", SortArgs.Builder.get("copy:*")), "SORT", "copy:*");
    }
  }

  @ForEachServer
  void clientThatOnlyReads_destroysNothing(ServerUnderTest server) {
    CompressionOptions open =
        CompressionOptions.of(CompressionPolicy.off("raw:"), CompressionPolicy.off("raw:text:"));
    try (Sheaf<String, String> writer = compressing(server);
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri()).compression(CompressionOptions.readOnly()).connect();
        Sheaf<String, String> partly = Sheaf.builder(server.uri()).compression(open).connect()) {
      writer.sync().set("k", MEDIUM);
      assertRefused(() -> sheaf.sync().append("k", "x"), "APPEND", "k");
      assertRefused(() -> sheaf.sync().setrange("k", 300, "x"), "SETRANGE", "k");
      assertRefused(() -> sheaf.sync().setbit("k", 3, 1), "SETBIT", "k");
      assertRefused(() -> sheaf.sync().strlen("k"), "STRLEN", "k");
      assertRefused(() -> sheaf.sync().getrange("k", 0, 3), "GETRANGE", "k");
      assertRefused(() -> partly.sync().append("k", "x"), "APPEND", "k");
      assertThat(sheaf.sync().get("k")).isEqualTo(MEDIUM);
      assertThat(partly.sync().append("raw:1", "abc")).isEqualTo(3);
      if (!partly.isCluster()) {
        assertThat(partly.sync().sort("raw:ids", SortArgs.Builder.get("raw:*"))).isEmpty();
      }
      assertRefused(
          () -> partly.sync().sort("raw:ids", SortArgs.Builder.get("ra*")), "SORT", "ra*");
    }
  }

  /**
   * The failure of a reactive read. Lettuce's publisher loses a failure for good that arrives while
   * its subscriber is still asking ({@code RedisPublisher.State.onError} gives up if its state
   * changes meanwhile), so the reply is held up behind another one until the subscriber has asked.
   */
  private static Throwable failureOf(Sheaf<String, String> sheaf, String key) throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    RedisFuture<Long> before =
        sheaf
            .async()
            .dispatch(
                CommandType.EXISTS,
                new HeldUpOutput(asked),
                new CommandArgs<>(StringCodec.UTF8).addKey(key));
    CompletableFuture<String> read = sheaf.reactive().get(key).toFuture();
    asked.countDown();
    before.get(60, TimeUnit.SECONDS);
    return catchThrowable(() -> read.get(60, TimeUnit.SECONDS)).getCause();
  }

  /** Reads no further before it is told to. */
  private static final class HeldUpOutput extends CommandOutput<String, String, Long> {
    private final CountDownLatch goOn;

    HeldUpOutput(CountDownLatch goOn) {
      super(StringCodec.UTF8, null);
      this.goOn = goOn;
    }

    @Override
    public void set(long integer) {
      try {
        assertThat(goOn.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  @ForEachServer
  void damagedValue_failsItsOwnKey_andNoOther(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      Map<String, String> values = values(20);
      sheaf.sync().mset(values);
      for (String damaged : new String[] {"key:4", "key:5"}) {
        byte[] stored = plain.sync().get(damaged);
        stored[stored.length - 1] ^= 4;
        plain.sync().set(damaged, stored);
      }
      Map<String, Result<String>> all = sheaf.getAll(values.keySet());
      all.forEach(
          (key, result) -> {
            if (key.equals("key:4") || key.equals("key:5")) {
              assertThatThrownBy(result::orNull)
                  .isInstanceOfSatisfying(
                      UnreadableValueException.class,
                      e -> assertThat(e.reason()).isEqualTo(Reason.CHECKSUM))
                  .hasMessageContaining("GET of key \"" + key + "\"");
            } else {
              assertThat(result.orNull()).isEqualTo(values.get(key));
            }
          });
      assertThatThrownBy(() -> sheaf.sync().get("key:5"))
          .isInstanceOf(UnreadableValueException.class);
      assertThat(failureOf(sheaf, "key:4")).isInstanceOf(UnreadableValueException.class);
      // This one is large, and so fails beside the event loop.
      assertThat(failureOf(sheaf, "key:5")).isInstanceOf(UnreadableValueException.class);
      assertThat(sheaf.sync().get("key:1")).isEqualTo(values.get("key:1"));
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void transactions(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = compressing(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      sheaf.sync().set("large", LARGE);
      sheaf.sync().set("damaged", MEDIUM);
      byte[] stored = plain.sync().get("damaged");
      stored[20] ^= 1;
      plain.sync().set("damaged", stored);
      var async = sheaf.standalone().async();
      async.multi();
      async.set("in", MEDIUM);
      RedisFuture<String> read = async.get("in");
      async.get("large");
      async.hset("h", Map.of("f", MEDIUM));
      RedisFuture<Map<String, String>> hash = async.hgetall("h");
      RedisFuture<String> damaged = async.get("damaged");
      async.get("in");
      TransactionResult result = async.exec().get(60, TimeUnit.SECONDS);
      assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo(MEDIUM);
      assertThat(result.<String>get(2)).isEqualTo(LARGE);
      assertThat(hash.get(60, TimeUnit.SECONDS)).isEqualTo(Map.of("f", MEDIUM));
      assertThat(result.<Object>get(5)).isInstanceOf(Exception.class);
      assertThatThrownBy(() -> damaged.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(UnreadableValueException.class);
      assertThat(result.<String>get(6)).isEqualTo(MEDIUM);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void blockingGetInATransaction_givesItsValueWithExec(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = compressing(server)) {
      sheaf.sync().set("key", MEDIUM);
      var commands = sheaf.standalone().sync();
      assertThat(sheaf.sync().get("key")).isEqualTo(MEDIUM);
      commands.multi();
      assertThat(sheaf.sync().get("key")).isNull();
      assertThat(commands.exec().<String>get(0)).isEqualTo(MEDIUM);
    }
  }

  @ForEachServer
  void mixedFleet_everyReadIsRight(ServerUnderTest server) {
    CompressionOptions zstd = CompressionOptions.of(CompressionPolicy.all(Compressor.zstd()));
    try (Sheaf<String, String> snappyWriter = compressing(server);
        Sheaf<String, String> zstdWriter = Sheaf.builder(server.uri()).compression(zstd).connect();
        Sheaf<String, String> reader =
            Sheaf.builder(server.uri()).compression(CompressionOptions.readOnly()).connect();
        Sheaf<String, String> raw = Sheaf.connect(server.uri())) {
      List<Sheaf<String, String>> writers = List.of(snappyWriter, zstdWriter, reader, raw);
      List<Sheaf<String, String>> readers = List.of(snappyWriter, zstdWriter, reader);
      for (String value : VALUES) {
        for (Sheaf<String, String> writer : writers) {
          writer.sync().set("k", value);
          for (Sheaf<String, String> each : readers) {
            assertThat(each.sync().get("k")).isEqualTo(value);
          }
        }
      }
      // What a client without compression can read, it reads as before.
      reader.sync().set("k", LARGE);
      assertThat(raw.sync().get("k")).isEqualTo(LARGE);
    }
  }

  @ForEachServer
  void valuesOfALaterClient_failForTheirKeys_andAClientWithoutCompressionSeesEnvelopes(
      ServerUnderTest server) {
    CompressionOptions own = CompressionOptions.of(CompressionPolicy.all(new Halving()));
    try (Sheaf<String, String> older = compressing(server);
        Sheaf<String, String> newer = Sheaf.builder(server.uri()).compression(own).connect();
        Sheaf<String, byte[]> disabled = plain(server)) {
      older.sync().set("good", MEDIUM);
      newer.sync().set("algorithm", "ab".repeat(500));
      older.sync().set("version", MEDIUM);
      byte[] stored = disabled.sync().get("version");
      assertThat(isEnvelope(stored)).isTrue();
      stored[Envelope.VERSION_OFFSET] = 3;
      disabled.sync().set("version", stored);

      Map<String, Result<String>> all = older.getAll(List.of("version", "good", "algorithm"));
      assertReason(all.get("version")::orNull, Reason.UNKNOWN_VERSION);
      assertReason(all.get("algorithm")::orNull, Reason.UNKNOWN_ALGORITHM);
      assertThat(all.get("good").orNull()).isEqualTo(MEDIUM);
      assertReason(() -> older.sync().get("version"), Reason.UNKNOWN_VERSION);
      assertThat(newer.sync().get("algorithm")).isEqualTo("ab".repeat(500));
      // Nothing was written by the failure, so a client that knows the format reads it still.
      assertThat(disabled.sync().get("version")).isEqualTo(stored);
    }
  }

  private static void assertReason(ThrowingCallable call, Reason reason) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            UnreadableValueException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  /** Values of two bytes in turn, as an application's own algorithm of a later day. */
  private static final class Halving implements Compressor {
    @Override
    public int id() {
      return FIRST_PRIVATE_ID;
    }

    @Override
    public String name() {
      return "halving";
    }

    @Override
    public int maxCompressedLength(int length) {
      return 2;
    }

    @Override
    public long maxOriginalLength(int compressedLength) {
      return 1 << 20;
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      System.arraycopy(source, offset, target, targetOffset, 2);
      return 2;
    }

    @Override
    public void decompress(byte[] source, int offset, int length, byte[] target) {
      for (int i = 0; i < target.length; i++) {
        target[i] = source[offset + i % 2];
      }
    }
  }

  private static void assertRefused(ThrowingCallable call, String command, String key) {
    assertThatThrownBy(call)
        .isInstanceOf(CompressionRefusedException.class)
        .hasMessageContaining(command)
        .hasMessageContaining("\"" + key + "\"");
  }

  private static boolean isEnvelope(byte[] bytes) {
    return Envelope.looksLikeOne(bytes, 0, bytes.length);
  }

  private static Sheaf<String, String> compressing(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect();
  }

  private static Sheaf<String, byte[]> plain(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
        .connect();
  }

  private static Map<String, String> values(int count) {
    return values(count, "key:");
  }

  private static Map<String, String> values(int count, String prefix) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      values.put(prefix + i, VALUES.get(i % 3) + i);
    }
    return values;
  }
}
