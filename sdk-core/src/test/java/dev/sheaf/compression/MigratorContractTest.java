package dev.sheaf.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
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
                          CompressionOptions.readOnly().withPolicies(CompressionPolicy.all(slow)),
                          "page:1")
                      .withPace(1_000_000, 1_000))
              .run();
      assertThat(done.conflicts()).isEqualTo(1);
      assertThat(plain.sync().get("page:1")).isEqualTo(newer);
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
    assertThat(new String(Migrator.pattern("a*b?[c]\\"))).isEqualTo("a\\*b\\?\\[c\\]\\\\*");
  }

  private static void fill(Sheaf<String, byte[]> sheaf) {
    for (int i = 0; i < PAGES; i++) {
      sheaf.sync().set("page:" + i, page(i));
    }
    sheaf.sync().set("page:0", page(0), SetArgs.Builder.ex(1_000));
    sheaf.sync().set("page:short", new byte[10]);
    sheaf.sync().rpush("page:list", new byte[1_000]);
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
