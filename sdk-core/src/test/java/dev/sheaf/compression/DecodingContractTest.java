package dev.sheaf.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Who decodes, what is reported, and what a failing compressor concerns. */
class DecodingContractTest {

  @ForEachServer
  void largeReplies_areDecodedBesideTheEventLoop_smallOnesOnIt(ServerUnderTest server)
      throws Exception {
    Queue<String> threads = new ConcurrentLinkedQueue<>();
    StringCodec noting =
        new StringCodec() {
          @Override
          public String decodeValue(ByteBuffer bytes) {
            threads.add(Thread.currentThread().getName());
            return super.decodeValue(bytes);
          }
        };
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .codec(noting)
            .compression(CompressionOptions.defaults())
            .connect()) {
      sheaf.sync().set("large", Samples.text(100_000, 1));
      sheaf.sync().set("small", Samples.text(1_000, 1));
      sheaf.sync().hset("hash", Map.of("a", Samples.text(100_000, 1), "b", "c"));
      threads.clear();
      sheaf.async().get("large").get(10, TimeUnit.SECONDS);
      assertThat(threads).singleElement().asString().startsWith("sheaf-decode-");
      threads.clear();
      sheaf.async().get("small").get(10, TimeUnit.SECONDS);
      assertThat(threads).singleElement().asString().startsWith("lettuce-");
      assertThat(sheaf.sync().hgetall("hash")).containsEntry("b", "c");
    }
  }

  @ForEachServer
  void meters_tellWhatWasDone(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .compression(CompressionOptions.defaults())
            .meterRegistry(registry)
            .name("shop")
            .connect()) {
      sheaf.sync().set("k", Samples.text(1_000, 1));
      sheaf.sync().get("k");
      sheaf.sync().set("k2", "small");
      sheaf.sync().set("k3", "1".repeat(300));
      assertThatThrownBy(() -> sheaf.sync().append("k", "x"))
          .isInstanceOf(CompressionRefusedException.class);
    }
    assertThat(size(registry, "written", "original")).isEqualTo(1_000);
    assertThat(size(registry, "written", "stored")).isBetween(1.0, 900.0);
    assertThat(size(registry, "read", "original")).isEqualTo(1_000);
    assertThat(size(registry, "read", "stored")).isEqualTo(size(registry, "written", "stored"));
    assertThat(registry.get("sheaf.compression.skipped").tag("reason", "small").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("sheaf.compression.skipped").tag("reason", "number").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("sheaf.compression.refused").tag("client", "shop").counter().count())
        .isEqualTo(1);
    assertThat(registry.get("sheaf.compression.time").tag("step", "compress").timer().count())
        .isEqualTo(1);
  }

  private static double size(SimpleMeterRegistry registry, String direction, String form) {
    return registry
        .get("sheaf.compression.size")
        .tag("direction", direction)
        .tag("form", form)
        .tag("client", "shop")
        .counter()
        .count();
  }

  @ForEachServer
  void failingCompressor_failsItsOwnCommand(ServerUnderTest server) {
    Compressor failing =
        new Compressor() {
          @Override
          public int id() {
            return FIRST_PRIVATE_ID;
          }

          @Override
          public String name() {
            return "failing";
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
          public int compress(
              byte[] source, int offset, int length, byte[] target, int targetOffset) {
            throw new IllegalStateException("out of order");
          }

          @Override
          public void decompress(byte[] source, int offset, int length, byte[] target) {
            throw new IllegalStateException("out of order");
          }
        };
    CompressionOptions options =
        CompressionOptions.readOnly().withPolicies(CompressionPolicy.of("bad:", failing));
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).compression(options).connect()) {
      var bad = sheaf.async().set("bad:1", Samples.text(1_000, 1));
      var good = sheaf.async().set("good", Samples.text(1_000, 1));
      assertThatThrownBy(() -> bad.get(10, TimeUnit.SECONDS))
          .hasMessageContaining("Cannot encode SET")
          .hasMessageContaining("out of order");
      assertThat(good.toCompletableFuture().join()).isEqualTo("OK");
    }
  }

  @ForEachServer
  void replyOfManyBombs_isRefusedByItsSum(ServerUnderTest server) {
    CompressionOptions zstd =
        CompressionOptions.readOnly().withPolicies(CompressionPolicy.all(Compressors.zstd()));
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .compression(zstd.withMaxBytes(1_000_000, 3_000_000))
            .connect()) {
      String zeros = "0 ".repeat(400_000);
      for (int i = 0; i < 4; i++) {
        sheaf.sync().rpush("list", zeros);
      }
      assertThat(sheaf.sync().lrange("list", 0, 2)).hasSize(3);
      assertThatThrownBy(() -> sheaf.sync().lrange("list", 0, -1))
          .isInstanceOfSatisfying(
              UnreadableValueException.class,
              e -> assertThat(e.reason()).isEqualTo(UnreadableValueException.Reason.TOO_LARGE))
          .hasMessageContaining("maxReplyBytes");
    }
  }
}
