// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.io.TempDir;

/** A dictionary is removed only if no value, wherever it stands, and no client needs it. */
class DictionaryCleanerContractTest {

  private static final String KEY = DictionaryStore.KEY;
  private static final int SAMPLES = 200;
  private static final int OTHERS = 300;

  /** Small steps, so that keys and elements need many. */
  private static final CleanupOptions OPTIONS =
      CleanupOptions.defaults().withPace(Integer.MAX_VALUE, 10);

  @TempDir Path folder;

  @ForEachServer
  void whatNothingNeeds_isRemoved(ServerUnderTest server) throws Exception {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      String id = unused(server, plain).id();
      others(plain);

      Cleanup found = new DictionaryCleaner(plain, OPTIONS.withDryRun()).run();

      assertThat(found.obstacle()).isNull();
      assertThat(found.keys()).isGreaterThanOrEqualTo(OTHERS);
      assertThat(found.removed()).extracting(DictionaryInfo::id).containsExactly(id);
      assertThat(plain.sync().hkeys(KEY)).containsExactly(id);

      Cleanup done = new DictionaryCleaner(plain, OPTIONS).run();

      assertThat(done.removed()).extracting(DictionaryInfo::id).containsExactly(id);
      assertThat(plain.sync().hkeys(KEY)).isEmpty();
      assertThat(plain.sync().hkeys(KEY + ":used")).isEmpty();
    }
  }

  @ForEachServer
  void whatIsCurrentOrWasUsedLately_stays(ServerUnderTest server) throws Exception {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      String id = unused(server, plain).id();
      plain.sync().hset(KEY + ":current", "orders:", id.getBytes(UTF_8));
      assertThat(new DictionaryCleaner(plain, OPTIONS).run().removed()).isEmpty();
      plain.sync().del(KEY + ":current");
      String now = String.valueOf(System.currentTimeMillis() / 1_000);
      plain.sync().hset(KEY + ":used", id, now.getBytes(UTF_8));
      assertThat(new DictionaryCleaner(plain, OPTIONS).run().removed()).isEmpty();
      assertThat(plain.sync().hkeys(KEY)).containsExactly(id);
    }
  }

  @ForEachServer
  void whatAValueRefersTo_stays(ServerUnderTest server) throws Exception {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      DictionaryInfo dictionary = unused(server, plain);
      byte[] stored = compressed();
      List<BiConsumer<String, byte[]>> kinds =
          List.of(
              (key, value) -> plain.sync().set(key, value),
              (key, value) -> {
                for (int i = 0; i < 2 * OTHERS; i++) {
                  plain.sync().hset(key, "field" + i, i == OTHERS ? value : other(i));
                }
              },
              (key, value) -> {
                plain.sync().rpush(key, value);
                for (int i = 0; i < OTHERS; i++) {
                  plain.sync().lpush(key, other(i));
                  plain.sync().rpush(key, other(i));
                }
              },
              (key, value) -> {
                for (int i = 0; i < OTHERS; i++) {
                  plain.sync().xadd(key, Map.of("field", i == OTHERS - 1 ? value : other(i)));
                }
              });
      others(plain);
      // In a cluster these keys lie on all nodes.
      for (int i = 0; i < 3 * kinds.size(); i++) {
        String key = "any:" + i;
        kinds.get(i % kinds.size()).accept(key, stored);

        Cleanup done = new DictionaryCleaner(plain, OPTIONS).run();

        assertThat(done.obstacle()).isNull();
        assertThat(done.removed()).as("kind %d", i % kinds.size()).isEmpty();
        plain.sync().del(key);
      }
      assertThat(new DictionaryCleaner(plain, OPTIONS).run().removed())
          .extracting(DictionaryInfo::id)
          .containsExactly(dictionary.id());
    }
  }

  @ForEachServer
  void whatAClientBeginsToUseMeanwhile_stays(ServerUnderTest server) throws Exception {
    List<Sheaf<String, String>> began = new ArrayList<>();
    try (Sheaf<String, byte[]> plain = plain(server)) {
      String id = unused(server, plain).id();
      others(plain);
      LongConsumer begin =
          keys -> {
            if (began.isEmpty()) {
              Sheaf<String, String> writer = shipping(server);
              began.add(writer);
              writer.dictionaries().refresh();
            }
          };

      Cleanup done = new DictionaryCleaner(plain, OPTIONS.withProgress(begin)).run();

      assertThat(began).hasSize(1);
      assertThat(done.obstacle()).isNull();
      assertThat(done.removed()).isEmpty();
      assertThat(plain.sync().hkeys(KEY)).containsExactly(id);
    } finally {
      began.forEach(Sheaf::close);
    }
  }

  @ForEachServer
  void whatAClientBeginsToUseAfterwards_isStoredBeforeItsValues(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      String id = unused(server, plain).id();
      assertThat(new DictionaryCleaner(plain, OPTIONS).run().removed()).hasSize(1);
      try (Sheaf<String, String> writer = shipping(server)) {
        int writes = 0;
        do {
          writer.sync().set("orders:late", DictionaryContractTest.order(writes++));
        } while (plain.sync().get("orders:late")[6] != 2);
        assertThat(plain.sync().hkeys(KEY)).containsExactly(id);
      }
    }
  }

  @ForEachServer
  void whatMayHaveEscaped_isSaidAndNothingRemoved(ServerUnderTest server) throws Exception {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      String id = unused(server, plain).id();
      others(plain);
      LongConsumer rename = keys -> plain.sync().rename("{other}:1", "{other}:1");

      Cleanup renamed = new DictionaryCleaner(plain, OPTIONS.withProgress(rename)).run();

      assertThat(renamed.obstacle()).contains("RENAME ran");
      assertThat(renamed.removed()).isEmpty();
      plain.sync().rpush("list", other(1), other(2), other(3));

      Cleanup tooLong = new DictionaryCleaner(plain, OPTIONS.withMaxListElements(2)).run();

      assertThat(tooLong.obstacle()).contains("\"list\"").contains("maxListElements=2");
      assertThat(tooLong.removed()).isEmpty();
      assertThat(plain.sync().hkeys(KEY)).containsExactly(id);
      assertThatThrownBy(() -> OPTIONS.withUnusedFor(Duration.ofHours(1)))
          .hasMessageContaining("unusedFor");
    }
  }

  /** Lets a client train a dictionary, ends it, and makes the server believe that was long ago. */
  private DictionaryInfo unused(ServerUnderTest server, Sheaf<String, byte[]> plain)
      throws Exception {
    DictionaryInfo trained;
    try (Sheaf<String, String> writer = client(server, learning())) {
      writer.dictionaries().refresh();
      for (int i = 0; i < SAMPLES; i++) {
        writer.sync().set("orders:" + i, DictionaryContractTest.order(i));
      }
      Await.until(
          "a dictionary",
          Duration.ofMinutes(1),
          () -> writer.dictionaries().list().stream().anyMatch(DictionaryInfo::isCurrent));
      trained = writer.dictionaries().list().get(0);
      writer.dictionaries().exportTo(trained.id(), folder.resolve("copy"));
    }
    for (int i = 0; i < SAMPLES; i++) {
      plain.sync().del("orders:" + i);
    }
    plain.sync().del(KEY + ":current", KEY + ":readers:2");
    plain.sync().hset(KEY + ":used", trained.id(), "1".getBytes(UTF_8));
    return trained;
  }

  /** A value as it is stored with the dictionary that {@link #unused} has left. */
  private byte[] compressed() {
    CompressionOptions options =
        options(
            DictionaryOptions.builder()
                .training(false)
                .awaitReaders(false)
                .files(folder.resolve("copy"))
                .build());
    byte[] stored =
        ValueCompression.of(options)
            .compress("orders:1".getBytes(UTF_8), DictionaryContractTest.order(1).getBytes(UTF_8));
    assertThat(stored[6]).isEqualTo((byte) 2);
    return stored;
  }

  private static void others(Sheaf<String, byte[]> plain) {
    for (int i = 0; i < OTHERS; i++) {
      plain.sync().set("{other}:" + i, other(i));
      plain.sync().set("other:" + i, other(i));
    }
    plain.sync().sadd("set", other(1));
  }

  private static byte[] other(int number) {
    return DictionaryContractTest.order(number).getBytes(UTF_8);
  }

  private Sheaf<String, String> shipping(ServerUnderTest server) {
    return client(
        server, DictionaryOptions.builder().training(false).files(folder.resolve("copy")).build());
  }

  private static DictionaryOptions learning() {
    return DictionaryOptions.builder()
        .samples(SAMPLES)
        .maxNanosPerSavedByte(Integer.MAX_VALUE)
        .build();
  }

  private static CompressionOptions options(DictionaryOptions dictionaries) {
    return CompressionOptions.builder()
        .policies(CompressionPolicy.of("orders:", Compressor.snappy()))
        .dictionaries(dictionaries)
        .build();
  }

  private static Sheaf<String, String> client(
      ServerUnderTest server, DictionaryOptions dictionaries) {
    return Sheaf.builder(server.uri()).compression(options(dictionaries)).connect();
  }

  private static Sheaf<String, byte[]> plain(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
        .connect();
  }
}
