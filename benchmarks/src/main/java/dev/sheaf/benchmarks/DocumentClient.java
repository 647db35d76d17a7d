package dev.sheaf.benchmarks;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.Compressors;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.CompressionCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.codec.SnappyCodecV2;
import org.redisson.config.Config;

/** A blocking client that keeps documents. Thread-safe. */
public interface DocumentClient extends AutoCloseable {

  /** Reads one. */
  byte[] get(String key);

  /** Writes one. */
  void set(String key, byte[] document);

  @Override
  void close();

  /** The clients that are compared. */
  enum Kind {
    SHEAF {
      @Override
      DocumentClient connect(String uri) {
        return sheaf(uri, null);
      }
    },
    SHEAF_SNAPPY {
      @Override
      DocumentClient connect(String uri) {
        return sheaf(uri, Compressors.snappy());
      }
    },
    SHEAF_LZ4 {
      @Override
      DocumentClient connect(String uri) {
        return sheaf(uri, Compressors.lz4());
      }
    },
    LETTUCE {
      @Override
      DocumentClient connect(String uri) {
        return lettuce(uri, CODEC);
      }
    },
    LETTUCE_GZIP {
      @Override
      DocumentClient connect(String uri) {
        return lettuce(
            uri, CompressionCodec.valueCompressor(CODEC, CompressionCodec.CompressionType.GZIP));
      }
    },
    REDISSON_SNAPPY {
      @Override
      DocumentClient connect(String uri) {
        return redisson(uri);
      }
    };

    private static final RedisCodec<String, byte[]> CODEC =
        RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);

    abstract DocumentClient connect(String uri);

    static DocumentClient sheaf(String uri, @Nullable Compressor compressor) {
      SheafBuilder<String, byte[]> builder = Sheaf.builder(uri).codec(CODEC);
      if (compressor != null) {
        builder.compression(CompressionOptions.of(CompressionPolicy.all(compressor)));
      }
      Sheaf<String, byte[]> sheaf = builder.connect();
      return new DocumentClient() {
        @Override
        public byte[] get(String key) {
          return sheaf.sync().get(key);
        }

        @Override
        public void set(String key, byte[] document) {
          sheaf.sync().set(key, document);
        }

        @Override
        public void close() {
          sheaf.close();
        }
      };
    }

    static DocumentClient lettuce(String uri, RedisCodec<String, byte[]> codec) {
      RedisClient client = RedisClient.create(uri);
      StatefulRedisConnection<String, byte[]> connection = client.connect(codec);
      return new DocumentClient() {
        @Override
        public byte[] get(String key) {
          return connection.sync().get(key);
        }

        @Override
        public void set(String key, byte[] document) {
          connection.sync().set(key, document);
        }

        @Override
        public void close() {
          client.shutdown();
        }
      };
    }

    static DocumentClient redisson(String uri) {
      Config config = new Config();
      config.setCodec(new SnappyCodecV2(new org.redisson.client.codec.ByteArrayCodec()));
      config.useSingleServer().setAddress(uri);
      RedissonClient client = Redisson.create(config);
      return new DocumentClient() {
        @Override
        public byte[] get(String key) {
          return Objects.requireNonNull(client.<byte[]>getBucket(key).get());
        }

        @Override
        public void set(String key, byte[] document) {
          client.<byte[]>getBucket(key).set(document);
        }

        @Override
        public void close() {
          client.shutdown();
        }
      };
    }
  }
}
