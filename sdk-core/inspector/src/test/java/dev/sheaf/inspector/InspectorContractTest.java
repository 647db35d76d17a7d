// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.inspector.InspectedValue.Kind;
import dev.sheaf.internal.compression.Samples;
import dev.sheaf.internal.compression.dictionary.KnownDictionaries;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import net.jpountz.lz4.LZ4Factory;
import org.junit.jupiter.api.Test;
import org.xerial.snappy.Snappy;

class InspectorContractTest {

  private static final byte[] JSON =
      ("{\"items\":[" + "{\"id\":1,\"name\":\"a\"},".repeat(400) + "0]}")
          .getBytes(StandardCharsets.UTF_8);

  @ForEachServer
  void compressedString_isShownAsWhatItStandsFor(ServerUnderTest server) {
    try (Sheaf<String, byte[]> sheaf = compressing(server)) {
      sheaf.sync().set("page:1", JSON, SetArgs.Builder.ex(1_000));

      Inspection inspection = Inspector.of(sheaf).inspect("page:1");

      assertThat(inspection.exists()).isTrue();
      assertThat(inspection.type()).isEqualTo("string");
      assertThat(inspection.ttl()).isBetween(Duration.ofSeconds(900), Duration.ofSeconds(1_000));
      assertThat(inspection.slot()).isEqualTo(SlotHash.getSlot("page:1"));
      assertThat(inspection.node() != null).isEqualTo(server.isCluster());
      assertThat(inspection.elements()).isEqualTo(1);
      InspectedValue value = inspection.values().get(0);
      assertThat(value.form()).isEqualTo(StoredForm.SHEAF);
      assertThat(value.algorithm()).isEqualTo("snappy");
      assertThat(value.originalBytes()).isEqualTo(JSON.length);
      assertThat(value.ratio()).isLessThan(0.2);
      assertThat(value.kind()).isEqualTo(Kind.JSON);
      assertThat(value.preview()).startsWith("{\"items\":[{\"id\":1").hasSize(4 << 10);
      assertThat(value.isComplete()).isFalse();
      assertThat(value.problem()).isNull();
    }
  }

  @ForEachServer
  void everyType_showsItsFirstElements(ServerUnderTest server) {
    try (Sheaf<String, byte[]> sheaf = compressing(server)) {
      sheaf.sync().hset("h", Map.of("f", JSON));
      sheaf.sync().rpush("l", bytes("short"), JSON);
      sheaf.sync().sadd("s", bytes("m"));
      sheaf.sync().zadd("z", 1.5, bytes("m"));
      for (int i = 0; i < 50; i++) {
        sheaf.sync().rpush("long", bytes("e" + i));
      }

      assertThat(Inspector.of(sheaf).inspect("none").exists()).isFalse();
      assertThat(Inspector.of(sheaf).inspect("h").values())
          .singleElement()
          .satisfies(
              value -> {
                assertThat(value.name()).isEqualTo("f");
                assertThat(value.form()).isEqualTo(StoredForm.SHEAF);
              });
      assertThat(Inspector.of(sheaf).inspect("l").values())
          .extracting(InspectedValue::form)
          .containsExactly(StoredForm.RAW, StoredForm.SHEAF);
      assertThat(Inspector.of(sheaf).inspect("s").values())
          .extracting(InspectedValue::preview)
          .containsExactly("m");
      assertThat(Inspector.of(sheaf).inspect("z").values())
          .singleElement()
          .satisfies(value -> assertThat(value.name()).isEqualTo("1.5"));
      Inspection list = Inspector.of(sheaf).inspect("long");
      assertThat(list.type()).isEqualTo("list");
      assertThat(list.elements()).isEqualTo(50);
      assertThat(list.values()).hasSize(InspectionLimits.defaults().maxElements());
    }
  }

  @ForEachServer
  void smallElementsThatStandForMuch_areOpenedUpToTheLimitTogether(ServerUnderTest server) {
    try (Sheaf<String, byte[]> sheaf = compressing(server)) {
      for (int i = 0; i < 5; i++) {
        sheaf.sync().rpush("l", JSON);
      }
      int twoAndABit = 2 * JSON.length + 1;
      Inspector inspector = Inspector.of(sheaf, new InspectionLimits(1 << 20, twoAndABit, 16, 20));

      List<InspectedValue> values = inspector.inspect(bytes("l")).values();

      assertThat(values).hasSize(5);
      assertThat(values.subList(0, 3))
          .extracting(InspectedValue::originalBytes)
          .containsOnly((long) JSON.length);
      assertThat(values.subList(3, 5))
          .allSatisfy(
              value -> {
                assertThat(value.preview()).isEmpty();
                assertThat(value.originalBytes()).isEqualTo(-1);
                assertThat(value.problem()).contains("maxOriginalBytes=" + twoAndABit);
              });
    }
  }

  @ForEachServer
  void onlyReads(ServerUnderTest server) {
    try (Sheaf<String, byte[]> sheaf = compressing(server)) {
      sheaf.sync().hset("h", Map.of("f", JSON));
      sheaf.sync().set("k", JSON);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      Inspector.of(sheaf).inspect("h");
      Inspector.of(sheaf).inspect("k");
      assertThat(server.commandCalls().keySet())
          .filteredOn(command -> !administration(command))
          .isSubsetOf(
              Set.of(
                  "type",
                  "pttl",
                  "object|encoding",
                  "object",
                  "memory|usage",
                  "memory",
                  "strlen",
                  "get",
                  "hlen",
                  "hscan"));
    }
  }

  private static boolean administration(String command) {
    return command.startsWith("config")
        || command.startsWith("cluster")
        || List.of("info", "role", "ping", "replconf", "hello", "client|setinfo", "command")
            .contains(command);
  }

  @ForEachServer
  void whatIsTooLarge_isNotRead(ServerUnderTest server) {
    try (Sheaf<String, byte[]> sheaf = compressing(server)) {
      sheaf.sync().set("large", Samples.noise(100_000, 1));
      sheaf.sync().set("bomb", new byte[100_000]);
      InspectionLimits limits = new InspectionLimits(50_000, 50_000, 100, 5);
      Inspector inspector = Inspector.of(sheaf, limits);

      InspectedValue large = inspector.inspect(bytes("large")).values().get(0);
      assertThat(large.storedBytes()).isEqualTo(100_000);
      assertThat(large.preview()).hasSize(200);
      assertThat(large.problem()).contains("maxReadBytes=50000");
      InspectedValue bomb = inspector.inspect(bytes("bomb")).values().get(0);
      assertThat(bomb.form()).isEqualTo(StoredForm.SHEAF);
      assertThat(bomb.originalBytes()).isEqualTo(100_000);
      assertThat(bomb.preview()).isEmpty();
      assertThat(bomb.problem()).contains("50000");
    }
  }

  @Test
  void foreignForms_areRecognised() throws IOException {
    assertForm(StoredForm.RAW, null, JSON);
    assertForm(StoredForm.GLIDE, "zstd", concat(new byte[] {0, 1, 2, 0, 1}, Zstd.compress(JSON)));
    byte[] lz4 = LZ4Factory.safeInstance().fastCompressor().compress(JSON);
    assertForm(
        StoredForm.GLIDE,
        "lz4",
        concat(new byte[] {0, 1, 2, 0, 2}, length(ByteOrder.LITTLE_ENDIAN), lz4));
    assertForm(StoredForm.REDISSON_LZ4, "lz4", concat(length(ByteOrder.BIG_ENDIAN), lz4));
    assertForm(StoredForm.REDISSON_SNAPPY, "snappy", Snappy.compress(JSON));
    assertForm(StoredForm.ZSTD, "zstd", Zstd.compress(JSON));
    assertForm(StoredForm.GZIP, "gzip", lettuce(CompressionCodec.CompressionType.GZIP));
    assertForm(StoredForm.ZLIB, "deflate", lettuce(CompressionCodec.CompressionType.DEFLATE));
  }

  @Test
  void noiseAndDamage_neverThrow_norExceedTheLimit() {
    Recognizer recognizer = new Recognizer(noDictionaries(), 10_000);
    List<byte[]> seeds = new ArrayList<>();
    try {
      seeds.add(Snappy.compress(JSON));
      seeds.add(lettuce(CompressionCodec.CompressionType.GZIP));
      seeds.add(lettuce(CompressionCodec.CompressionType.DEFLATE));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    seeds.add(Zstd.compress(JSON));
    seeds.add(concat(new byte[] {0, 1, 2, 0, 1}, Zstd.compress(JSON)));
    seeds.add(concat(new byte[] {0, 1, 2, 0, 2}, Samples.noise(300, 1)));
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = seeds.get(i % seeds.size()).clone();
      for (int flips = random.nextInt(4); flips > 0; flips--) {
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
      }
      byte[] original = recognizer.recognize(bytes).original();
      assertThat(original == null || original.length <= 10_000).isTrue();
      recognizer.recognize(Samples.noise(random.nextInt(200), i));
    }
  }

  private static void assertForm(StoredForm form, String algorithm, byte[] stored) {
    Recognizer.Recognized recognized = new Recognizer(noDictionaries(), 1 << 20).recognize(stored);
    assertThat(recognized.form()).isEqualTo(form);
    assertThat(recognized.algorithm()).isEqualTo(algorithm);
    assertThat(recognized.original()).isEqualTo(JSON);
  }

  private static byte[] lettuce(CompressionCodec.CompressionType type) {
    ByteBuffer encoded =
        CompressionCodec.valueCompressor(ByteArrayCodec.INSTANCE, type).encodeValue(JSON);
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return bytes;
  }

  private static byte[] length(ByteOrder order) {
    return ByteBuffer.allocate(4).order(order).putInt(JSON.length).array();
  }

  private static byte[] concat(byte[]... parts) {
    ByteBuffer all = ByteBuffer.allocate(200_000);
    for (byte[] part : parts) {
      all.put(part);
    }
    byte[] bytes = new byte[all.position()];
    all.flip().get(bytes);
    return bytes;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Sheaf<String, byte[]> compressing(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
        .compression(CompressionOptions.defaults())
        .connect();
  }

  private static KnownDictionaries noDictionaries() {
    return new KnownDictionaries(id -> CompletableFuture.completedFuture(null));
  }
}
