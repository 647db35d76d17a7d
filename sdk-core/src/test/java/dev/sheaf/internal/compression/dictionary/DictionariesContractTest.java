// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.io.TempDir;

/** Small values go by trained dictionaries, and come back as they were or fail by themselves. */
class DictionariesContractTest {

  private static final int SAMPLES = 200;
  private static final String KEY = DictionaryStore.KEY;

  @ForEachServer
  void dictionaryIsTrainedStoredAndRead(ServerUnderTest server) throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> writer =
            Sheaf.builder(server.uri())
                .meterRegistry(registry)
                .compression(options(learning().build()))
                .connect();
        Sheaf<String, byte[]> plain = plain(server)) {
      DictionaryInfo trained = train(writer, server);
      assertThat(trained.prefix()).isEqualTo("orders:");
      assertThat(trained.isCurrent()).isTrue();
      assertThat(trained.samples()).isEqualTo(SAMPLES * 3 / 4);
      assertThat(trained.ratio()).isLessThan(0.4);
      assertThat(meter(registry, "trainings", "outcome", "adopted")).isOne();

      String value = Orders.order(7);
      writer.sync().set("orders:7", value);
      writer.sync().hset("orders:hash", "field", value);
      writer.sync().rpush("orders:list", value, "small", Orders.order(8));
      writer.sync().xadd("orders:stream", Map.of("field", value));
      byte[] stored = plain.sync().get("orders:7");
      assertThat(stored[6]).isEqualTo((byte) 2);
      assertThat(stored.length).isLessThan(value.length() * 4 / 10);
      assertThat(meter(registry, "values", "direction", "written")).isGreaterThanOrEqualTo(5);

      // Each reader begins without the dictionary.
      for (Way way : ways(value)) {
        try (Sheaf<String, String> reader = reader(server)) {
          assertThat(way.read(reader)).isEqualTo(way.expected());
        }
      }
      assertThat(writer.sync().get("orders:7")).isEqualTo(value);
      assertThat(meter(registry, "values", "direction", "read")).isGreaterThanOrEqualTo(1);
    }
  }

  private interface Reading {
    Object read(Sheaf<String, String> sheaf) throws Exception;
  }

  private record Way(Reading reading, Object expected) {
    Object read(Sheaf<String, String> sheaf) throws Exception {
      return reading.read(sheaf);
    }
  }

  private static List<Way> ways(String value) {
    return List.of(
        new Way(sheaf -> sheaf.sync().get("orders:7"), value),
        new Way(sheaf -> sheaf.async().get("orders:7").get(60, TimeUnit.SECONDS), value),
        new Way(sheaf -> sheaf.reactive().get("orders:7").block(Duration.ofMinutes(1)), value),
        new Way(sheaf -> sheaf.sync().mget("orders:7", "none").get(0).getValue(), value),
        new Way(sheaf -> sheaf.getAll(Set.of("orders:7")).get("orders:7").orNull(), value),
        new Way(sheaf -> sheaf.sync().hgetall("orders:hash"), Map.of("field", value)),
        new Way(
            sheaf -> sheaf.sync().lrange("orders:list", 0, -1),
            List.of(value, "small", Orders.order(8))),
        new Way(
            sheaf ->
                sheaf
                    .sync()
                    .xrange("orders:stream", io.lettuce.core.Range.unbounded())
                    .get(0)
                    .getBody(),
            Map.of("field", value)),
        new Way(
            sheaf -> {
              List<String> read = new ArrayList<>();
              for (String key : sheaf.loop(List.of("orders:7", "orders:7"))) {
                read.add(sheaf.sync().get(key));
              }
              return read;
            },
            List.of(value, value)));
  }

  @ForEachServer
  void manyCallersOfAFreshReader_fetchOnce(ServerUnderTest server) {
    try (Sheaf<String, String> writer = writer(server)) {
      train(writer, server);
      Map<String, String> values = new HashMap<>();
      for (int i = 0; i < 300; i++) {
        values.put("orders:" + i, Orders.order(i));
      }
      assertThat(writer.setAll(values).values()).noneMatch(Result::isFailure);
      try (Sheaf<String, String> reader = reader(server)) {
        long before = server.commandCalls().getOrDefault("hget", 0L);
        Map<String, String> read = new ConcurrentHashMap<>();
        reader.mapEach(values.keySet(), key -> read.put(key, reader.sync().get(key)));
        assertThat(read).isEqualTo(values);
        assertThat(server.commandCalls().get("hget") - before).isOne();
      }
    }
  }

  @ForEachServer
  void lostDictionary_isNamedAndCanBeRestored(ServerUnderTest server, @TempDir Path folder)
      throws Exception {
    Path copy = folder.resolve("copy");
    String id;
    String value = Orders.order(7);
    try (Sheaf<String, String> writer = writer(server)) {
      id = train(writer, server).id();
      writer.sync().set("orders:7", value);
      writer.dictionaries().exportTo(id, copy);
      writer.sync().del(KEY);
      try (Sheaf<String, String> reader = reader(server)) {
        assertThatThrownBy(() -> reader.sync().get("orders:7"))
            .isInstanceOfSatisfying(
                UnreadableValueException.class,
                e -> assertThat(e.reason()).isEqualTo(Reason.LOST_DICTIONARY))
            .hasMessageContaining("key \"orders:7\"")
            .hasMessageContaining(id)
            .hasMessageContaining("importFrom");
        assertThat(reader.getAll(List.of("orders:7")).get("orders:7"))
            .isInstanceOf(Result.Failure.class);
        assertThat(reader.dictionaries().importFrom(copy)).isEqualTo(id);
        assertThat(reader.sync().get("orders:7")).isEqualTo(value);
      }
      writer.sync().del(KEY);
      // A client that still uses it stores it again.
      writer.dictionaries().refresh();
      try (Sheaf<String, String> reader = reader(server)) {
        assertThat(reader.sync().get("orders:7")).isEqualTo(value);
      }
    }
    try (Sheaf<String, byte[]> plain = plain(server)) {
      byte[] stored = plain.sync().get("orders:7");
      plain.sync().del(KEY);
      try (Sheaf<String, String> shipped =
          Sheaf.builder(server.uri())
              .compression(options(learning().training(false).files(copy).build()))
              .connect()) {
        assertThat(shipped.sync().get("orders:7")).isEqualTo(value);
        shipped.dictionaries().refresh();
        assertThat(plain.sync().hget(KEY, id)).isNotNull();
        shipped.sync().set("orders:8", value);
        assertThat(plain.sync().get("orders:8")).isEqualTo(stored);
      }
      CompressionOptions byHand =
          options(learning().training(false).awaitReaders(false).files(copy).build());
      assertThat(ValueCompression.of(byHand).decompress(stored))
          .isEqualTo(value.getBytes(StandardCharsets.UTF_8));
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void damagedDictionary_isLost(ServerUnderTest server) {
    try (Sheaf<String, String> writer = writer(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      String id = train(writer, server).id();
      writer.sync().set("orders:7", Orders.order(7));
      byte[] dictionary = plain.sync().hget(KEY, id);
      dictionary[dictionary.length / 2] ^= 1;
      plain.sync().hset(KEY, id, dictionary);
      try (Sheaf<String, String> reader = reader(server)) {
        assertThat(reason(() -> reader.sync().get("orders:7"))).isEqualTo(Reason.LOST_DICTIONARY);
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void inATransaction_theDictionaryMustBeThere(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> writer = writer(server);
        Sheaf<String, String> reader = reader(server)) {
      train(writer, server);
      String value = Orders.order(7);
      writer.sync().set("orders:7", value);
      RedisAsyncCommands<String, String> commands = reader.standalone().async();
      commands.multi();
      RedisFuture<String> first = commands.get("orders:7");
      commands.exec().get(60, TimeUnit.SECONDS);
      assertThat(reason(first::get)).isEqualTo(Reason.UNLOADED_DICTIONARY);
      assertThat(reader.sync().get("orders:7")).isEqualTo(value);
      commands.multi();
      RedisFuture<String> second = commands.get("orders:7");
      commands.exec().get(60, TimeUnit.SECONDS);
      assertThat(second.get()).isEqualTo(value);
    }
  }

  @ForEachServer
  void olderReader_keepsWritersFromDictionaries(ServerUnderTest server) {
    try (Sheaf<String, String> writer = writer(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      train(writer, server);
      writer.sync().set("orders:7", Orders.order(7));
      assertThat(plain.sync().get("orders:7")[6]).isEqualTo((byte) 2);
      try (Sheaf<String, String> older =
          Sheaf.builder(server.uri())
              .compression(
                  CompressionOptions.builder().dictionaries(DictionaryOptions.none()).build())
              .connect()) {
        older.dictionaries().refresh();
        assertThat(reason(() -> older.sync().get("orders:7"))).isEqualTo(Reason.UNKNOWN_VERSION);
        writer.dictionaries().refresh();
        writer.sync().set("orders:7", Orders.order(7));
        assertThat(older.sync().get("orders:7")).isEqualTo(Orders.order(7));
        assertThat(writer.sync().get("orders:7")).isEqualTo(Orders.order(7));
      }
      plain.sync().del(KEY + ":readers:1");
      writer.dictionaries().refresh();
      writer.sync().set("orders:7", Orders.order(7));
      assertThat(plain.sync().get("orders:7")[6]).isEqualTo((byte) 2);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void othersUseWhatOneHasTrained(ServerUnderTest server) {
    try (Sheaf<String, String> first = writer(server);
        Sheaf<String, String> second = writer(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      train(first, server);
      second.dictionaries().refresh();
      second.sync().set("orders:7", Orders.order(7));
      assertThat(plain.sync().get("orders:7")[6]).isEqualTo((byte) 2);
      assertThat(second.dictionaries().list()).hasSize(1);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void valuesThatNothingCompresses_switchDictionariesOffWithinAThousandWrites(
      ServerUnderTest server) {
    List<IntFunction<byte[]>> corpora = List.of(Orders::noise, Orders::deflated, Orders::encrypted);
    for (IntFunction<byte[]> corpus : corpora) {
      SimpleMeterRegistry registry = new SimpleMeterRegistry();
      try (Sheaf<String, byte[]> writer =
          Sheaf.builder(server.uri())
              .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
              .meterRegistry(registry)
              .compression(options(DictionaryOptions.defaults()))
              .connect()) {
        writer.dictionaries().refresh();
        for (int i = 0; i < 1_000; i++) {
          writer.sync().set("orders:" + i, corpus.apply(i));
        }
        Await.until(
            "the trial's end",
            Duration.ofMinutes(1),
            () -> meter(registry, "trainings", "outcome", "rejected") == 1);
        for (int i = 0; i < 5_000; i++) {
          writer.sync().set("orders:" + i, corpus.apply(i));
        }
        assertThat(writer.dictionaries().list()).isEmpty();
        assertThat(meter(registry, "values", "direction", "written")).isZero();
        for (String outcome : List.of("adopted", "kept", "failed")) {
          assertThat(meter(registry, "trainings", "outcome", outcome)).isZero();
        }
        assertThat(meter(registry, "trainings", "outcome", "rejected")).isOne();
        assertThat(writer.sync().get("orders:3")).isEqualTo(corpus.apply(3));
      }
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void whatIsNoDictionary_standsInNobodysWay(ServerUnderTest server) {
    try (Sheaf<String, String> writer = writer(server);
        Sheaf<String, byte[]> plain = plain(server)) {
      plain.sync().hset(KEY, "a note", new byte[] {1});
      plain.sync().hset(KEY, "0012abcd", new byte[] {1});
      plain.sync().hset(KEY + ":current", "users:", new byte[] {1});
      String id = train(writer, server).id();
      assertThat(writer.dictionaries().list()).extracting(DictionaryInfo::id).containsExactly(id);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void shippedDictionary_isStoredBeforeItsValuesAndGivesWayToANewerOne(
      ServerUnderTest server, @TempDir Path folder) throws Exception {
    Path copy = folder.resolve("copy");
    String old;
    try (Sheaf<String, String> writer = writer(server)) {
      old = train(writer, server).id();
      writer.dictionaries().exportTo(old, copy);
    }
    try (Sheaf<String, byte[]> plain = plain(server)) {
      plain.sync().flushall();
      DictionaryOptions shipping =
          learning().awaitReaders(false).files(copy).training(false).build();
      try (Sheaf<String, String> writer =
          Sheaf.builder(server.uri()).compression(options(shipping)).connect()) {
        byte[] stored;
        do {
          writer.sync().set("orders:7", Orders.order(7));
          stored = plain.sync().get("orders:7");
          if (stored[6] == 2) {
            assertThat(plain.sync().hexists(KEY, old)).isTrue();
          }
        } while (stored[6] != 2);
      }
      // Another policy without a dictionary does not bring the shipped one back.
      CompressionOptions two =
          CompressionOptions.builder()
              .policies(
                  CompressionPolicy.of("orders:", Compressor.snappy()),
                  CompressionPolicy.of("users:", Compressor.snappy()))
              .dictionaries(learning().files(copy).build())
              .build();
      try (Sheaf<String, String> writer = Sheaf.builder(server.uri()).compression(two).connect();
          Sheaf<String, String> other = writer(server)) {
        plain.sync().del(KEY, KEY + ":current");
        String newer = trainOther(other);
        assertThat(newer).isNotEqualTo(old);
        writer.dictionaries().refresh();
        writer.dictionaries().refresh();
        writer.sync().set("orders:7", Orders.order(7));
        byte[] value = plain.sync().get("orders:7");
        assertThat(Envelope.dictionaryId(value, value.length))
            .isEqualTo(Integer.parseInt(newer, 16));
      }
    }
  }

  /** Trains on values unlike the others. */
  private static String trainOther(Sheaf<String, String> writer) {
    writer.dictionaries().refresh();
    for (int i = 0; i < SAMPLES; i++) {
      writer.sync().set("orders:" + i, new StringBuilder(Orders.order(i)).reverse().toString());
    }
    Await.until(
        "another dictionary",
        Duration.ofMinutes(1),
        () -> writer.dictionaries().list().stream().anyMatch(DictionaryInfo::isCurrent));
    return writer.dictionaries().list().stream()
        .filter(DictionaryInfo::isCurrent)
        .findFirst()
        .orElseThrow()
        .id();
  }

  @ForEachServer(on = Topology.STANDALONE)
  void whatIsPrivate_staysOut(ServerUnderTest server) {
    DictionaryOptions privacy =
        learning()
            .except("orders:private:")
            .redact(
                sample ->
                    new String(sample, StandardCharsets.UTF_8)
                        .replaceAll("user[0-9]+@example.com", "")
                        .getBytes(StandardCharsets.UTF_8))
            .build();
    try (Sheaf<String, String> writer =
            Sheaf.builder(server.uri()).compression(options(privacy)).connect();
        Sheaf<String, byte[]> plain = plain(server)) {
      for (int i = 0; i < 2 * SAMPLES; i++) {
        writer.sync().set("orders:private:" + i, Orders.order(i));
      }
      assertThat(writer.dictionaries().list()).isEmpty();
      String id = train(writer, server).id();
      assertThat(new String(plain.sync().hget(KEY, id), StandardCharsets.UTF_8))
          .contains("loyaltyProgramMember")
          .doesNotContain("@example.com");
      writer.sync().set("orders:private:7", Orders.order(7));
      assertThat(plain.sync().get("orders:private:7")[6]).isNotEqualTo((byte) 2);
    }
  }

  /** Writes until there is a dictionary that is in use. */
  private static DictionaryInfo train(Sheaf<String, String> writer, ServerUnderTest server) {
    writer.dictionaries().refresh();
    for (int i = 0; i < SAMPLES; i++) {
      writer.sync().set("orders:" + i, Orders.order(i));
    }
    Await.until(
        "a dictionary",
        Duration.ofMinutes(1),
        () -> writer.dictionaries().list().stream().anyMatch(DictionaryInfo::isCurrent));
    // Adopted by all that see it stored, and by its own client at the latest then.
    writer.dictionaries().refresh();
    try (Sheaf<String, byte[]> plain = plain(server)) {
      Await.until(
          "its use",
          Duration.ofMinutes(1),
          () -> {
            writer.sync().set("orders:0", Orders.order(0));
            return plain.sync().get("orders:0")[6] == 2;
          });
    }
    return writer.dictionaries().list().get(0);
  }

  private static double meter(SimpleMeterRegistry registry, String name, String tag, String value) {
    var counter = registry.find("sheaf.compression.dictionary." + name).tag(tag, value).counter();
    return counter == null ? 0 : counter.count();
  }

  private static Reason reason(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    while (thrown != null && !(thrown instanceof UnreadableValueException)) {
      thrown = thrown.getCause();
    }
    return ((UnreadableValueException) java.util.Objects.requireNonNull(thrown)).reason();
  }

  private static DictionaryOptions.Builder learning() {
    return DictionaryOptions.builder()
        .samples(SAMPLES)
        .maxNanosPerSavedByte(Integer.MAX_VALUE)
        .lease(Duration.ofHours(1));
  }

  private static CompressionOptions options(DictionaryOptions dictionaries) {
    return CompressionOptions.builder()
        .policies(CompressionPolicy.of("orders:", Compressor.snappy()))
        .dictionaries(dictionaries)
        .build();
  }

  private static Sheaf<String, String> writer(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).compression(options(learning().build())).connect();
  }

  private static Sheaf<String, String> reader(ServerUnderTest server) {
    return Sheaf.builder(server.uri()).compression(CompressionOptions.readOnly()).connect();
  }

  private static Sheaf<String, byte[]> plain(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
        .connect();
  }
}
