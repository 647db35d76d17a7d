// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.codec.SnappyCodecV2;
import org.redisson.config.Config;

/**
 * A blocking client that stores documents. Thread-safe.
 *
 * @param get reads a document
 * @param set writes a document
 * @param learn writes values until a dictionary was trained or rejected; other clients do nothing
 * @param closing disconnects
 */
public record DocumentClient(
    Function<String, byte @Nullable []> get,
    BiConsumer<String, byte[]> set,
    Consumer<List<byte[]>> learn,
    Runnable closing)
    implements AutoCloseable {

  private static final RedisCodec<String, byte[]> CODEC =
      RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  /** Makes even small values compressed. */
  private static final int MIN_BYTES = 64;

  /** The compared clients. */
  public enum Kind {
    SHEAF("not compressed", uri -> sheaf(uri, null)),
    SHEAF_SNAPPY("Snappy", uri -> sheaf(uri, options(Compressor.snappy()))),
    SHEAF_LZ4("LZ4", uri -> sheaf(uri, options(Compressor.lz4()))),
    SHEAF_ZSTD("Zstandard, level 3", uri -> sheaf(uri, options(Compressor.zstd()))),
    SHEAF_DICTIONARY("Zstandard with a dictionary", DocumentClient::withDictionary),
    LETTUCE("Lettuce", uri -> lettuce(uri, CODEC)),
    LETTUCE_GZIP(
        "Lettuce, gzip",
        uri ->
            lettuce(
                uri,
                CompressionCodec.valueCompressor(CODEC, CompressionCodec.CompressionType.GZIP))),
    REDISSON_SNAPPY("Redisson, Snappy", DocumentClient::redisson);

    final String title;
    private final Function<String, DocumentClient> connector;

    Kind(String title, Function<String, DocumentClient> connector) {
      this.title = title;
      this.connector = connector;
    }

    DocumentClient connect(String uri) {
      return connector.apply(uri);
    }
  }

  private static CompressionOptions options(Compressor compressor) {
    return CompressionOptions.of(
        CompressionPolicy.builder().compressor(compressor).minBytes(MIN_BYTES).build());
  }

  private static DocumentClient sheaf(String uri, @Nullable CompressionOptions options) {
    SheafBuilder<String, byte[]> builder = Sheaf.builder(uri).codec(CODEC);
    if (options != null) {
      builder.compression(options);
    }
    Sheaf<String, byte[]> sheaf = builder.connect();
    return new DocumentClient(sheaf.sync()::get, sheaf.sync()::set, values -> {}, sheaf::close);
  }

  private static DocumentClient withDictionary(String uri) {
    // A busy machine must not decide what is stored.
    DictionaryOptions patient =
        DictionaryOptions.builder().maxNanosPerSavedByte(Integer.MAX_VALUE).build();
    SimpleMeterRegistry meters = new SimpleMeterRegistry();
    Sheaf<String, byte[]> sheaf =
        Sheaf.builder(uri)
            .codec(CODEC)
            .compression(options(Compressor.snappy()).toBuilder().dictionaries(patient).build())
            .meterRegistry(meters)
            .connect();
    Consumer<List<byte[]>> learn =
        values -> {
          sheaf.dictionaries().refresh();
          for (byte[] value : values) {
            sheaf.sync().set("learn", value);
          }
          while (trainings(meters) == 0) {
            LockSupport.parkNanos(1_000_000);
          }
          sheaf.sync().del("learn");
        };
    return new DocumentClient(sheaf.sync()::get, sheaf.sync()::set, learn, sheaf::close);
  }

  private static double trainings(SimpleMeterRegistry meters) {
    return meters.find("sheaf.compression.dictionary.trainings").counters().stream()
        .mapToDouble(Counter::count)
        .sum();
  }

  private static DocumentClient lettuce(String uri, RedisCodec<String, byte[]> codec) {
    RedisClient client = RedisClient.create(uri);
    RedisCommands<String, byte[]> redis = client.connect(codec).sync();
    return new DocumentClient(redis::get, redis::set, values -> {}, client::shutdown);
  }

  private static DocumentClient redisson(String uri) {
    Config config = new Config();
    config.setCodec(new SnappyCodecV2(new org.redisson.client.codec.ByteArrayCodec()));
    config.useSingleServer().setAddress(uri);
    RedissonClient client = Redisson.create(config);
    return new DocumentClient(
        key -> client.<byte[]>getBucket(key).get(),
        (key, document) -> client.<byte[]>getBucket(key).set(document),
        values -> {},
        client::shutdown);
  }

  @Override
  public void close() {
    closing.run();
  }
}
