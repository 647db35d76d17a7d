// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.servers;

import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * The keys and values that are stored before the run. The Go program in {@code benchmarks/go}
 * creates the same ones.
 */
public enum Dataset {
  /** Small values under keys in all slots. */
  SMALL("bench:", 10_000, 100),
  /** Values of 1 MB. */
  LARGE("large:", 32, 1_000_000);

  private static final String MARKER = "bench:loaded";
  private static final String VERSION = "2";
  private static final int BYTES_PER_WRITE = 4_000_000;

  /** The step from a key to one far from it. */
  private static final int NEXT = 5_021;

  private final String prefix;
  private final int keys;
  private final int bytes;

  /** One object per value, as in an application. */
  private final String[] values;

  Dataset(String prefix, int keys, int bytes) {
    this.prefix = prefix;
    this.keys = keys;
    this.bytes = bytes;
    this.values = IntStream.range(0, keys).mapToObj(this::made).toArray(String[]::new);
  }

  /** Returns the number of keys. */
  public int keys() {
    return keys;
  }

  /** Creates the name of a key, as applications create theirs. */
  public String key(int index) {
    return prefix + (100_000 + index);
  }

  /** Returns the value of a key. It starts with its key. */
  public String value(int index) {
    return values[index];
  }

  private String made(int index) {
    String unit = key(index) + ";";
    return unit.repeat(bytes / unit.length() + 1).substring(0, bytes);
  }

  /** Returns a random index. */
  public int randomIndex() {
    return ThreadLocalRandom.current().nextInt(keys);
  }

  /** Returns the index of the key that a value names as the next one to read. */
  public int following(int index) {
    return (index + NEXT) % keys;
  }

  /** Returns the key that a value names as the next one to read. */
  public String following(@Nullable String value) {
    if (value == null) {
      throw new IllegalStateException("Read no value, so there is no next key");
    }
    int end = value.indexOf(';');
    return key(following(Integer.parseInt(value, prefix.length(), end, 10) - 100_000));
  }

  /**
   * Compares a whole value with the stored one.
   *
   * @throws IllegalStateException if they differ
   */
  public String check(int index, @Nullable String value) {
    String expected = values[index];
    if (!expected.equals(value)) {
      throw new IllegalStateException(
          "Read " + shortened(value) + " for " + key(index) + ", stored " + shortened(expected));
    }
    return expected;
  }

  private static String shortened(@Nullable String value) {
    return value == null || value.length() <= 40
        ? String.valueOf(value)
        : value.substring(0, 40) + "… (" + value.length() + " characters)";
  }

  /** Stores all data, unless it is there. */
  static void load(ServerKind kind, String uri) {
    try (UnifiedJedis jedis = connect(kind, uri)) {
      if (VERSION.equals(jedis.get(MARKER))) {
        return;
      }
      for (Dataset data : values()) {
        int perWrite = Math.max(1, BYTES_PER_WRITE / data.bytes);
        for (int start = 0; start < data.keys; start += perWrite) {
          data.write(jedis, start, Math.min(data.keys, start + perWrite));
        }
      }
      jedis.set(MARKER, VERSION);
    }
  }

  private static UnifiedJedis connect(ServerKind kind, String uri) {
    return kind == ServerKind.CLUSTER
        ? RedisClusterClient.create(Servers.address(uri))
        : RedisClient.create(Servers.address(uri));
  }

  private void write(UnifiedJedis jedis, int start, int end) {
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (int i = start; i < end; i++) {
        pipeline.set(key(i), value(i));
      }
      pipeline.sync();
    }
  }
}
