// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.rivals;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.availability.Availability;
import dev.sheaf.benchmarks.servers.Dataset;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sheaf, which detects clusters itself. */
public final class SheafRival implements Rival {

  /**
   * The default of 200 ms would fail PINGs beside computing processes; other clients wait longer.
   */
  private static final Duration PING_TIMEOUT = Duration.ofSeconds(10);

  private final Sheaf<String, String> sheaf;
  private final Availability<String> availability;

  /** Connects with a builder. */
  public SheafRival(SheafBuilder<String, String> builder) {
    this.sheaf = builder.connect();
    this.availability = sheaf.availability().withTimeout(PING_TIMEOUT);
  }

  @Override
  public @Nullable String get(String key) {
    return sheaf.sync().get(key);
  }

  @Override
  public void set(String key, String value) {
    sheaf.sync().set(key, value);
  }

  @Override
  public @Nullable String[] getAll(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    int next = 0;
    for (Result<String> result : sheaf.getAll(Arrays.asList(keys)).values()) {
      values[next++] = result.orNull();
    }
    return values;
  }

  @Override
  public @Nullable String[] getEach(String[] keys) {
    return Futures.values(Futures.each(keys, sheaf.async()::get));
  }

  @Override
  public @Nullable String[] loop(String[] keys) {
    @Nullable String[] values = new String[keys.length];
    int next = 0;
    for (String key : sheaf.loop(Arrays.asList(keys))) {
      values[next++] = sheaf.sync().get(key);
    }
    return values;
  }

  @Override
  public @Nullable String[] loopOfTwo(String[] keys) {
    RedisClusterCommands<String, String> redis = sheaf.sync();
    List<@Nullable String> found =
        sheaf.mapEach(
            Arrays.asList(keys), key -> redis.get(Dataset.SMALL.following(redis.get(key))));
    return found.toArray(new String[0]);
  }

  @Override
  public void ping() {
    availability.ping();
  }

  @Override
  public void close() {
    sheaf.close();
  }
}
