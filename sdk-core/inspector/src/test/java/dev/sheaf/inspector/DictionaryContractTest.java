// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryInfo;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** The inspector names dictionaries, and the migrator uses them, and leaves them as they are. */
class DictionaryContractTest {

  private static final int SAMPLES = 200;

  @ForEachServer
  void valuesOfDictionaries_areShownAndMigrated(ServerUnderTest server) {
    CompressionOptions options = options(Duration.ofMinutes(10));
    try (Sheaf<String, String> writer = Sheaf.builder(server.uri()).compression(options).connect();
        Sheaf<String, String> usual =
            Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect();
        Sheaf<String, byte[]> plain =
            Sheaf.builder(server.uri())
                .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
                .connect()) {
      usual.sync().set("orders:old", order(1).repeat(2));
      usual.sync().hset("orders:hash", "field", order(2).repeat(2));
      plain.sync().set("orders:raw", order(3).getBytes(StandardCharsets.UTF_8));
      assertThat(plain.sync().get("orders:old")[6]).isEqualTo((byte) 1);
      writer.dictionaries().refresh();
      for (int i = 0; i < SAMPLES; i++) {
        writer.sync().set("orders:" + i, order(i));
      }
      Await.until(
          "a dictionary",
          Duration.ofMinutes(1),
          () -> writer.dictionaries().list().stream().anyMatch(DictionaryInfo::isCurrent));
      DictionaryInfo trained = writer.dictionaries().list().get(0);

      MigrationOptions compress = MigrationOptions.compress(options, "orders:");
      byte[] longAgo = {'1'};
      plain.sync().hset(DictionaryStore.KEY + ":used", trained.id(), longAgo);
      MigrationProgress dry = new Migrator(plain, compress.withDryRun()).run();
      assertThat(plain.sync().zcard(DictionaryStore.KEY + ":readers:2")).isOne();
      assertThat(plain.sync().hget(DictionaryStore.KEY + ":used", trained.id())).isEqualTo(longAgo);

      MigrationProgress done = new Migrator(plain, compress).run();

      assertThat(dry.changed()).isEqualTo(done.changed());
      assertThat(dry.bytesAfter()).isEqualTo(done.bytesAfter());

      assertThat(done.unreadable()).isZero();
      for (String key : new String[] {"orders:old", "orders:raw"}) {
        assertThat(plain.sync().get(key)[6]).isEqualTo((byte) 2);
      }
      assertThat(usual.sync().get("orders:old")).isEqualTo(order(1).repeat(2));
      assertThat(usual.sync().hget("orders:hash", "field")).isEqualTo(order(2).repeat(2));
      InspectedValue shown = Inspector.of(plain).inspect("orders:raw").values().get(0);
      assertThat(shown.algorithm())
          .isEqualTo(
              "zstd with dictionary "
                  + trained.id()
                  + " (orders:), 16 KB, trained on "
                  + trained.samples()
                  + " samples");
      assertThat(shown.preview()).isEqualTo(order(3));

      MigrationProgress undone =
          new Migrator(plain, MigrationOptions.decompress(options, "")).run();

      assertThat(undone.unreadable()).isZero();
      assertThat(plain.sync().get("orders:raw"))
          .isEqualTo(order(3).getBytes(StandardCharsets.UTF_8));
      assertThat(writer.dictionaries().list()).hasSize(1);
    }
  }

  @ForEachServer
  void migrationLongerThanTheLease_usesTheDictionaryToItsEnd(ServerUnderTest server) {
    try (Sheaf<String, String> writer =
            Sheaf.builder(server.uri()).compression(options(Duration.ofHours(1))).connect();
        Sheaf<String, byte[]> plain =
            Sheaf.builder(server.uri())
                .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
                .connect()) {
      writer.dictionaries().refresh();
      for (int i = 0; i < SAMPLES; i++) {
        writer.sync().set("orders:" + i, order(i));
      }
      Await.until(
          "a dictionary",
          Duration.ofMinutes(1),
          () -> writer.dictionaries().list().stream().anyMatch(DictionaryInfo::isCurrent));
      for (int i = 0; i < SAMPLES; i++) {
        plain.sync().set("orders:" + i, order(i).getBytes(StandardCharsets.UTF_8));
      }
      Duration lease = Duration.ofMinutes(10);
      AtomicLong clock = new AtomicLong(System.nanoTime());

      new Migrator(
              plain,
              MigrationOptions.compress(options(lease), "orders:")
                  .withPace(Integer.MAX_VALUE, 50)
                  .withProgress(
                      // After each step the lease is over.
                      progress -> clock.addAndGet(2 * lease.toNanos())),
              clock::get)
          .run();

      for (int i = 0; i < SAMPLES; i++) {
        assertThat(plain.sync().get("orders:" + i)[6]).as("%d", i).isEqualTo((byte) 2);
      }
    }
  }

  private static CompressionOptions options(Duration lease) {
    return CompressionOptions.builder()
        .policies(CompressionPolicy.of("orders:", Compressor.snappy()))
        .dictionaries(
            DictionaryOptions.builder()
                .samples(SAMPLES)
                .maxNanosPerSavedByte(Integer.MAX_VALUE)
                .lease(lease)
                .build())
        .build();
  }

  static String order(int number) {
    Random random = new Random(number);
    return "{\"orderId\":\"ORD-"
        + random.nextInt(100_000)
        + "\",\"customer\":{\"id\":"
        + random.nextInt(50_000)
        + ",\"email\":\"user"
        + random.nextInt(50_000)
        + "@example.com\",\"loyaltyProgramMember\":"
        + random.nextBoolean()
        + "},\"shipping\":{\"carrier\":\"parcel-express\",\"trackingNumber\":\""
        + Long.toHexString(random.nextLong())
        + "\",\"estimatedDeliveryDays\":"
        + random.nextInt(7)
        + ",\"returnable\":true,\"warehouse\":\"central-"
        + random.nextInt(9)
        + "\"},\"payment\":{\"currency\":\"EUR\",\"amount\":"
        + random.nextInt(100_000)
        + "}}";
  }
}
