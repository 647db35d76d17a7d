package dev.sheaf.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RBatch;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** Redisson: buckets of strings, and its batch. */
final class RedissonRival implements Rival {

  private final RedissonClient redisson;

  RedissonRival(ServerKind kind, String uri, int threads) {
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    if (kind == ServerKind.CLUSTER) {
      config.useClusterServers().addNodeAddress(uri);
    } else {
      config.useSingleServer().setAddress(uri);
    }
    redisson = Redisson.create(config);
  }

  @Override
  public @Nullable String get(String key) {
    return redisson.<String>getBucket(key).get();
  }

  @Override
  public @Nullable String[] getMany(Way way, String[] keys) {
    return switch (way) {
      case MANY_KEY_CALL -> buckets(keys);
      case FUTURES ->
          Futures.values(Futures.each(keys, key -> redisson.<String>getBucket(key).getAsync()));
      case PIPELINE -> batch(keys);
      default -> throw new UnsupportedOperationException("Redisson has no " + way);
    };
  }

  private @Nullable String[] buckets(String[] keys) {
    Map<String, String> found = redisson.getBuckets().get(keys);
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = found.get(keys[i]);
    }
    return values;
  }

  private @Nullable String[] batch(String[] keys) {
    RBatch batch = redisson.createBatch();
    for (String key : keys) {
      batch.<String>getBucket(key).getAsync();
    }
    List<?> replies = batch.execute().getResponses();
    @Nullable String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      values[i] = (String) replies.get(i);
    }
    return values;
  }

  @Override
  public void close() {
    redisson.shutdown();
  }
}
