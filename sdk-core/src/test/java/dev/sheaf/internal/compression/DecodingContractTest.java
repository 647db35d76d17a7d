// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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
      sheaf.async().get("large").get(60, TimeUnit.SECONDS);
      assertThat(threads).singleElement().asString().startsWith("sheaf-decode-");
      threads.clear();
      sheaf.async().get("small").get(60, TimeUnit.SECONDS);
      assertThat(threads).singleElement().asString().startsWith("sheaf-io-");
      assertThat(sheaf.sync().hgetall("hash")).containsEntry("b", "c");
    }
  }

  @ForEachServer
  void blockingGet_isDecodedByItsCaller_unlessItIsLarge(ServerUnderTest server) {
    Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    StringCodec noting =
        new StringCodec() {
          @Override
          public String decodeValue(ByteBuffer bytes) {
            threads.add(Thread.currentThread());
            return super.decodeValue(bytes);
          }
        };
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .codec(noting)
            .compression(CompressionOptions.builder().offLoopBytes(50_000).decodeThreads(1).build())
            .connect()) {
      String value = Samples.text(40_000, 1);
      sheaf.sync().set("k", value);
      threads.clear();
      assertThat(sheaf.sync().get("k")).isEqualTo(value);
      assertThat(threads).containsExactly(Thread.currentThread());
      // So many at once would take the processors from the event loop.
      sheaf.sync().set("k", Samples.text(100_000, 1));
      threads.clear();
      assertThat(sheaf.sync().get("k")).isEqualTo(Samples.text(100_000, 1));
      assertThat(threads)
          .singleElement()
          .extracting(Thread::getName)
          .asString()
          .startsWith("sheaf-decode-");
      // What is not compressed needs no hand-over.
      sheaf.sync().set("k", "small");
      threads.clear();
      assertThat(sheaf.sync().get("k")).isEqualTo("small");
      assertThat(threads)
          .singleElement()
          .extracting(Thread::getName)
          .asString()
          .doesNotStartWith("sheaf-decode-");
      assertThat(sheaf.sync().get("none")).isNull();
    }
  }

  @ForEachServer
  void codecThatFails_failsABlockingGetAsItDoesWithoutCompression(ServerUnderTest server) {
    StringCodec failing =
        new StringCodec() {
          @Override
          public String decodeValue(ByteBuffer bytes) {
            throw new IllegalStateException("no such text");
          }
        };
    SheafBuilder<String, String> builder = Sheaf.builder(server.uri()).codec(failing);
    try (Sheaf<String, String> without = builder.connect();
        Sheaf<String, String> with = builder.compression(CompressionOptions.defaults()).connect()) {
      with.sync().set("k", Samples.text(1_000, 1));
      Throwable expected = catchThrowable(() -> without.sync().get("k"));
      assertThat(expected).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(() -> with.sync().get("k"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(expected.getMessage());
      assertThat(with.sync().get("none")).isNull();
    }
  }

  @ForEachServer
  void manyThreadsThatRead_eachGetTheirOwnValue(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).compression(CompressionOptions.defaults()).connect()) {
      List<String> values = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        values.add(Samples.text(300 + 2_000 * (i % 20), i));
        sheaf.sync().set("k" + i, values.get(i));
      }
      List<Callable<Void>> readers = new ArrayList<>();
      for (int t = 0; t < 16; t++) {
        int first = t;
        readers.add(
            () -> {
              for (int i = 0; i < 200; i++) {
                int key = (first * 7 + i) % values.size();
                assertThat(sheaf.sync().get("k" + key)).isEqualTo(values.get(key));
              }
              return null;
            });
      }
      ExecutorService threads = Executors.newFixedThreadPool(readers.size());
      try {
        for (Future<Void> reader : threads.invokeAll(readers, 60, TimeUnit.SECONDS)) {
          reader.get();
        }
      } finally {
        threads.shutdownNow();
      }
    }
  }

  /** On a machine for which a native library was not built, say. */
  @ForEachServer
  void libraryThatCannotBeLoaded_isTheFailureOfItsOwnCommand(ServerUnderTest server)
      throws Exception {
    CompressionOptions writing =
        CompressionOptions.of(CompressionPolicy.of("{k}bad", new Unloadable(false)));
    CompressionOptions reading =
        CompressionOptions.of(CompressionPolicy.of("{k}bad", new Unloadable(true)));
    try (Sheaf<String, String> writer = Sheaf.builder(server.uri()).compression(writing).connect();
        Sheaf<String, String> reader = Sheaf.builder(server.uri()).compression(reading).connect()) {
      writer.sync().set("{k}bad", Samples.text(1_000, 1));
      writer.sync().set("{k}good", "value");
      writer.sync().rpush("{k}badlist", Samples.text(1_000, 1));
      List<RedisFuture<String>> good = new ArrayList<>();
      RedisFuture<String> get = reader.async().get("{k}bad");
      good.add(reader.async().get("{k}good"));
      RedisFuture<String> list = reader.async().lindex("{k}badlist", 0);
      good.add(reader.async().get("{k}good"));
      RedisFuture<String> set = reader.async().set("{k}bad2", Samples.text(1_000, 1));
      good.add(reader.async().get("{k}good"));
      for (RedisFuture<String> each : good) {
        assertThat(each.get(60, TimeUnit.SECONDS)).isEqualTo("value");
      }
      for (RedisFuture<String> bad : List.of(get, list)) {
        assertThatThrownBy(() -> bad.get(60, TimeUnit.SECONDS))
            .cause()
            .isInstanceOfSatisfying(
                UnreadableValueException.class,
                e ->
                    assertThat(e.reason())
                        .isEqualTo(UnreadableValueException.Reason.MISSING_LIBRARY))
            .hasMessageContaining("libhalf.so");
      }
      assertThatThrownBy(() -> set.get(60, TimeUnit.SECONDS)).hasMessageContaining("libhalf.so");
      assertThatThrownBy(() -> reader.sync().get("{k}bad"))
          .isInstanceOf(UnreadableValueException.class);
    }
  }

  /** Knows values of one byte only. */
  private record Unloadable(boolean missing) implements Compressor {

    @Override
    public int id() {
      return FIRST_PRIVATE_ID;
    }

    @Override
    public String name() {
      return "half";
    }

    @Override
    public int maxCompressedLength(int length) {
      return 1;
    }

    @Override
    public long maxOriginalLength(int compressedLength) {
      return 1 << 20;
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      load();
      target[targetOffset] = source[offset];
      return 1;
    }

    @Override
    public void decompress(byte[] source, int offset, int length, byte[] target) {
      load();
      Arrays.fill(target, source[offset]);
    }

    private void load() {
      if (missing) {
        throw new UnsatisfiedLinkError("libhalf.so is of another machine");
      }
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
    CompressionOptions options = CompressionOptions.of(CompressionPolicy.of("bad:", failing));
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).compression(options).connect()) {
      var bad = sheaf.async().set("bad:1", Samples.text(1_000, 1));
      var good = sheaf.async().set("good", Samples.text(1_000, 1));
      assertThatThrownBy(() -> bad.get(60, TimeUnit.SECONDS))
          .hasMessageContaining("Cannot encode SET")
          .hasMessageContaining("out of order");
      assertThat(good.toCompletableFuture().join()).isEqualTo("OK");
    }
  }

  @ForEachServer
  void replyOfManyBombs_isRefusedByItsSum(ServerUnderTest server) {
    CompressionOptions zstd = CompressionOptions.of(CompressionPolicy.all(Compressor.zstd()));
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .compression(zstd.toBuilder().maxValueBytes(1_000_000).maxReplyBytes(3_000_000).build())
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
