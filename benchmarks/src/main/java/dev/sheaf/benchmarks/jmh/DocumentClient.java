package dev.sheaf.benchmarks.jmh;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.Compressors;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.codec.SnappyCodecV2;
import org.redisson.config.Config;

/**
 * A blocking client that keeps documents. Thread-safe.
 *
 * @param get reads one
 * @param set writes one
 * @param close disconnects
 */
public record DocumentClient(
    Function<String, byte @Nullable []> get, BiConsumer<String, byte[]> set, Runnable close) {

  private static final RedisCodec<String, byte[]> CODEC =
      RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

  /** The clients that are compared. */
  public enum Kind {
    SHEAF(uri -> sheaf(uri, null)),
    SHEAF_SNAPPY(uri -> sheaf(uri, Compressors.snappy())),
    SHEAF_LZ4(uri -> sheaf(uri, Compressors.lz4())),
    LETTUCE(uri -> lettuce(uri, CODEC)),
    LETTUCE_GZIP(
        uri ->
            lettuce(
                uri,
                CompressionCodec.valueCompressor(CODEC, CompressionCodec.CompressionType.GZIP))),
    REDISSON_SNAPPY(DocumentClient::redisson);

    private final Function<String, DocumentClient> connector;

    Kind(Function<String, DocumentClient> connector) {
      this.connector = connector;
    }

    DocumentClient connect(String uri) {
      return connector.apply(uri);
    }
  }

  private static DocumentClient sheaf(String uri, @Nullable Compressor compressor) {
    SheafBuilder<String, byte[]> builder = Sheaf.builder(uri).codec(CODEC);
    if (compressor != null) {
      builder.compression(CompressionOptions.of(CompressionPolicy.all(compressor)));
    }
    Sheaf<String, byte[]> sheaf = builder.connect();
    return new DocumentClient(sheaf.sync()::get, sheaf.sync()::set, sheaf::close);
  }

  private static DocumentClient lettuce(String uri, RedisCodec<String, byte[]> codec) {
    RedisClient client = RedisClient.create(uri);
    RedisCommands<String, byte[]> redis = client.connect(codec).sync();
    return new DocumentClient(redis::get, redis::set, client::shutdown);
  }

  private static DocumentClient redisson(String uri) {
    Config config = new Config();
    config.setCodec(new SnappyCodecV2(new org.redisson.client.codec.ByteArrayCodec()));
    config.useSingleServer().setAddress(uri);
    RedissonClient client = Redisson.create(config);
    return new DocumentClient(
        key -> client.<byte[]>getBucket(key).get(),
        (key, document) -> client.<byte[]>getBucket(key).set(document),
        client::shutdown);
  }
}
