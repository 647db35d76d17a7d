package dev.sheaf.benchmarks;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sheaf with its defaults; whether there is a cluster it finds out by itself. */
final class SheafRival implements Rival {

  private final Sheaf<String, String> sheaf;

  SheafRival(ServerKind kind, String uri, int threads) {
    this.sheaf = Sheaf.connect(uri);
  }

  @Override
  public @Nullable String get(String key) {
    return sheaf.sync().get(key);
  }

  @Override
  public @Nullable String[] getMany(Way way, String[] keys) {
    return switch (way) {
      case MANY_KEY_CALL -> getAll(keys);
      case FUTURES -> Futures.values(Futures.each(keys, sheaf.async()::get));
      case PIPELINE -> batch(keys);
      case READ_AHEAD -> readAhead(keys);
      case SIDE_BY_SIDE -> values(sheaf.mapEach(Arrays.asList(keys), sheaf.sync()::get));
      case LOOP -> throw new UnsupportedOperationException("A loop is no way of its own");
    };
  }

  @Override
  public @Nullable String[] readDependent(Way way, String[] keys) {
    if (way != Way.SIDE_BY_SIDE) {
      return Rival.super.readDependent(way, keys);
    }
    RedisClusterCommands<String, String> redis = sheaf.sync();
    return values(
        sheaf.mapEach(Arrays.asList(keys), key -> redis.get(Dataset.following(redis.get(key)))));
  }

  @Override
  public void ping() {
    sheaf.availability().ping();
  }

  private @Nullable String[] readAhead(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    int next = 0;
    for (String key : sheaf.loop(Arrays.asList(keys))) {
      values[next++] = sheaf.sync().get(key);
    }
    return values;
  }

  private static @Nullable String[] values(List<@Nullable String> found) {
    return found.toArray(new String[0]);
  }

  private @Nullable String[] getAll(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    int next = 0;
    for (Result<String> result : sheaf.getAll(Arrays.asList(keys)).values()) {
      values[next++] = result.orNull();
    }
    return values;
  }

  private @Nullable String[] batch(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    try (Batch<String, String> batch = sheaf.batch()) {
      List<Deferred<@Nullable String>> replies = new ArrayList<>(keys.length);
      for (String key : keys) {
        replies.add(batch.get(key));
      }
      for (int i = 0; i < keys.length; i++) {
        values[i] = replies.get(i).get();
      }
    }
    return values;
  }

  @Override
  public void close() {
    sheaf.close();
  }
}
