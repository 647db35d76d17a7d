// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.internal.compression.Samples;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.SetArgs;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class MigratorContractTest {

  private static final CompressionOptions SNAPPY = CompressionOptions.defaults();
  private static final int PAGES = 250;

  @ForEachServer
  void valuesUnderThePrefix_areCompressed_andTheirTimeToLiveStays(ServerUnderTest server) {
    try (Sheaf<String, byte[]> plain = plain(server);
        Sheaf<String, byte[]> reading = reading(server)) {
      fill(plain);

      MigrationProgress done =
          new Migrator(plain, MigrationOptions.compress(SNAPPY, "page:")).run();

      assertThat(done.changed()).isEqualTo(PAGES);
      assertThat(done.otherTypes()).isEqualTo(1);
      assertThat(done.unchanged()).isEqualTo(1);
      assertThat(done.conflicts()).isZero();
      assertThat(done.bytesAfter()).isLessThan(done.bytesBefore() / 2);
      for (int i = 0; i < PAGES; i++) {
        assertThat(isEnvelope(plain.sync().get("page:" + i))).isTrue();
        assertThat(reading.sync().get("page:" + i)).isEqualTo(page(i));
      }
      assertThat(plain.sync().ttl("page:0")).isBetween(900L, 1_000L);
      assertThat(plain.sync().ttl("page:1")).isEqualTo(-1);
      assertThat(isEnvelope(plain.sync().get("other:1"))).isFalse();
      assertThat(isEnvelope(plain.sync().get("page*"))).isFalse();

      MigrationProgress again =
          new Migrator(plain, MigrationOptions.compress(SNAPPY, "page:")).run();
      assertThat(again.changed()).isZero();

      MigrationProgress undone =
          new Migrator(plain, MigrationOptions.decompress(SNAPPY, "page:")).run();
      assertThat(undone.changed()).isEqualTo(PAGES);
      assertThat(plain.sync().get("page:7")).isEqualTo(page(7));
      assertThat(plain.sync().ttl("page:0")).isBetween(900L, 1_000L);
    }
  }

  @ForEachServer
  void dryRun_countsAndWritesNothing(ServerUnderTest server) {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      fill(plain);
      MigrationProgress counted =
          new Migrator(plain, MigrationOptions.compress(SNAPPY, "page:").withDryRun()).run();
      assertThat(counted.changed()).isEqualTo(PAGES);
      assertThat(counted.bytesAfter()).isLessThan(counted.bytesBefore() / 2);
      assertThat(plain.sync().get("page:0")).isEqualTo(page(0));
      assertThat(server.commandCalls()).doesNotContainKey("eval");
    }
  }

  @ForEachServer
  void valueWrittenMeanwhile_isLeftAsItWasWritten(ServerUnderTest server) {
    try (Sheaf<String, byte[]> plain = plain(server);
        Sheaf<String, byte[]> other = plain(server)) {
      byte[] newer = Samples.json(3_000, 99);
      // A compressor that takes its time, during which somebody writes.
      Compressor slow = new WritesMeanwhile(() -> other.sync().set("page:1", newer));
      fill(plain);
      MigrationProgress done =
          new Migrator(
                  plain,
                  MigrationOptions.compress(
                          CompressionOptions.of(CompressionPolicy.all(slow)), "page:1")
                      .withPace(1_000_000, 1_000))
              .run();
      assertThat(done.conflicts()).isEqualTo(1);
      assertThat(plain.sync().get("page:1")).isEqualTo(newer);
    }
  }

  @ForEachServer
  void hashesAndLists_areMigratedValueByValue_thereAndBack(ServerUnderTest server) {
    try (Sheaf<String, byte[]> plain = plain(server);
        Sheaf<String, byte[]> reading = reading(server)) {
      for (int i = 0; i < 230; i++) {
        plain.sync().hset("page:h", "field" + i, page(i));
        plain.sync().rpush("page:l", page(i));
      }
      plain.sync().hset("page:h", "short", new byte[10]);
      plain.sync().rpush("page:l", new byte[10]);
      plain.sync().expire("page:h", 1_000);
      MigrationOptions compress = MigrationOptions.compress(SNAPPY, "page:");
      assertThat(new Migrator(plain, compress.withDryRun()).run().changed()).isEqualTo(460);
      assertThat(isEnvelope(plain.sync().lindex("page:l", 0))).isFalse();

      MigrationProgress done = new Migrator(plain, compress).run();

      assertThat(done.keys()).isEqualTo(2);
      assertThat(done.changed()).isEqualTo(460);
      assertThat(done.unchanged()).isGreaterThanOrEqualTo(2);
      assertThat(done.otherTypes() + done.conflicts()).isZero();
      assertThat(done.bytesAfter()).isLessThan(done.bytesBefore() / 2);
      assertThat(plain.sync().ttl("page:h")).isBetween(900L, 1_000L);
      for (int i = 0; i < 230; i++) {
        assertThat(isEnvelope(plain.sync().hget("page:h", "field" + i))).isTrue();
        assertThat(isEnvelope(plain.sync().lindex("page:l", i))).isTrue();
        assertThat(reading.sync().hget("page:h", "field" + i)).isEqualTo(page(i));
      }
      assertThat(reading.sync().lrange("page:l", 0, -1)).hasSize(231).element(7).isEqualTo(page(7));

      new Migrator(plain, MigrationOptions.decompress(SNAPPY, "page:")).run();
      assertThat(plain.sync().hget("page:h", "field9")).isEqualTo(page(9));
      assertThat(plain.sync().lindex("page:l", 229)).isEqualTo(page(229));
    }
  }

  @ForEachServer
  void elementsThatChangeOrMoveMeanwhile_areLeftAsTheyWereWritten(ServerUnderTest server) {
    try (Sheaf<String, byte[]> plain = plain(server);
        Sheaf<String, byte[]> other = plain(server)) {
      byte[] newer = Samples.json(3_000, 99);
      Compressor slow =
          new WritesMeanwhile(
              () -> {
                other.sync().hset("page:h", "field1", newer);
                other.sync().hdel("page:h", "field2");
                other.sync().lpush("page:l", newer);
              });
      for (int i = 0; i < 3; i++) {
        plain.sync().hset("page:h", "field" + i, page(i));
        plain.sync().rpush("page:l", page(i));
      }
      CompressionOptions options = CompressionOptions.of(CompressionPolicy.all(slow));
      new Migrator(plain, MigrationOptions.compress(options, "page:h")).run();
      assertThat(plain.sync().hget("page:h", "field1")).isEqualTo(newer);
      assertThat(plain.sync().hexists("page:h", "field2")).isFalse();
      plain.sync().del("page:l");
      plain.sync().rpush("page:l", page(0), page(1), page(2));

      MigrationProgress list =
          new Migrator(plain, MigrationOptions.compress(options, "page:l")).run();

      // One was pushed before them, so nothing is where it was read; nothing is lost or doubled.
      assertThat(list.conflicts()).isEqualTo(3);
      assertThat(plain.sync().lrange("page:l", 0, -1))
          .containsExactly(newer, page(0), page(1), page(2));
    }
  }

  @ForEachServer
  void fieldWithATimeToLiveOfItsOwn_keepsIt(ServerUnderTest server) {
    Assumptions.assumeTrue(
        ((List<?>) server.command("COMMAND", "INFO", "hpttl")).get(0) instanceof List<?>,
        "fields have no time to live on this server");
    try (Sheaf<String, byte[]> plain = plain(server)) {
      plain.sync().hset("page:h", "lasting", page(1));
      plain.sync().hset("page:h", "passing", page(2));
      plain.sync().hexpire("page:h", 1_000, "passing");
      MigrationProgress done =
          new Migrator(plain, MigrationOptions.compress(SNAPPY, "page:")).run();
      assertThat(done.changed()).isEqualTo(1);
      assertThat(plain.sync().hget("page:h", "passing")).isEqualTo(page(2));
      assertThat(plain.sync().httl("page:h", "passing").get(0)).isBetween(900L, 1_000L);
    }
  }

  @ForEachServer
  void interruptedMigration_goesOnWhereItWas(ServerUnderTest server) {
    try (Sheaf<String, byte[]> plain = plain(server)) {
      fill(plain);
      MigrationOptions options = MigrationOptions.compress(SNAPPY, "page:").withPace(1_000_000, 10);
      AtomicReference<MigrationProgress> last = new AtomicReference<>();
      assertThatThrownBy(
              () ->
                  new Migrator(
                          plain,
                          options.withProgress(
                              progress -> {
                                last.set(progress);
                                if (progress.changed() >= PAGES / 2) {
                                  throw new IllegalStateException("stopped");
                                }
                              }))
                      .run())
          .hasMessage("stopped");
      MigrationProgress rest =
          new Migrator(plain, options.withResumeToken(last.get().resumeToken())).run();
      assertThat(rest.keys()).isLessThan(PAGES);
      List<String> raw = new ArrayList<>();
      for (int i = 0; i < PAGES; i++) {
        if (!isEnvelope(plain.sync().get("page:" + i))) {
          raw.add("page:" + i);
        }
      }
      assertThat(raw).isEmpty();
    }
  }

  @Test
  void prefixWithSpecialCharacters_standsForItself() {
    assertThat(new String(KeyScan.pattern("a*b?[c]\\"))).isEqualTo("a\\*b\\?\\[c\\]\\\\*");
  }

  private static void fill(Sheaf<String, byte[]> sheaf) {
    for (int i = 0; i < PAGES; i++) {
      sheaf.sync().set("page:" + i, page(i));
    }
    sheaf.sync().set("page:0", page(0), SetArgs.Builder.ex(1_000));
    sheaf.sync().set("page:short", new byte[10]);
    sheaf.sync().sadd("page:set", new byte[1_000]);
    sheaf.sync().set("other:1", page(1));
    sheaf.sync().set("page*", page(1));
  }

  private static byte[] page(int number) {
    return Samples.json(1_000 + number, number);
  }

  private static boolean isEnvelope(byte[] bytes) {
    return Envelope.looksLikeOne(bytes, 0, bytes.length);
  }

  private static Sheaf<String, byte[]> plain(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
        .connect();
  }

  private static Sheaf<String, byte[]> reading(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
        .compression(CompressionOptions.readOnly())
        .connect();
  }

  /** Keeps half of a value, which nobody reads back here. */
  private static final class WritesMeanwhile implements Compressor {

    private final Runnable write;

    WritesMeanwhile(Runnable write) {
      this.write = write;
    }

    @Override
    public int id() {
      return FIRST_PRIVATE_ID;
    }

    @Override
    public String name() {
      return "slow";
    }

    @Override
    public int maxCompressedLength(int length) {
      return length;
    }

    @Override
    public long maxOriginalLength(int compressedLength) {
      return 2L * compressedLength;
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      if (Arrays.equals(Arrays.copyOfRange(source, offset, offset + length), page(1))) {
        write.run();
      }
      System.arraycopy(source, offset, target, targetOffset, length / 2);
      return length / 2;
    }

    @Override
    public void decompress(byte[] source, int offset, int length, byte[] target) {
      throw new IllegalArgumentException("only written");
    }
  }
}
