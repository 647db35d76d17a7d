package dev.sheaf.benchmarks;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
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
    };
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
