package dev.sheaf.benchmarks;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/** What is stored and read: {@value #KEYS} keys with values of {@value #VALUE_BYTES} bytes. */
final class Dataset {

  static final int KEYS = 100_000;
  static final int VALUE_BYTES = 100;

  /** Says which data set a server holds, so that the processes of one comparison load it once. */
  private static final String MARKER = "sheaf-bench:loaded";

  private static final String VERSION = KEYS + "x" + VALUE_BYTES;
  private static final int KEYS_PER_WRITE = 5_000;

  private static final String[] NAMES = new String[KEYS];
  private static final String[] VALUES = new String[KEYS];

  static {
    for (int i = 0; i < KEYS; i++) {
      NAMES[i] = "sheaf-bench:" + (KEYS + i);
      VALUES[i] = (NAMES[i] + ";").repeat(VALUE_BYTES).substring(0, VALUE_BYTES);
    }
  }

  private Dataset() {}

  static String key(int index) {
    return NAMES[index];
  }

  static String value(int index) {
    return VALUES[index];
  }

  /** Stores the data set unless it is there. */
  static void load(ServerKind kind, String uri) {
    try (UnifiedJedis jedis = connect(kind, uri)) {
      if (VERSION.equals(jedis.get(MARKER))) {
        return;
      }
      for (int start = 0; start < KEYS; start += KEYS_PER_WRITE) {
        write(jedis, start, Math.min(KEYS, start + KEYS_PER_WRITE));
      }
      jedis.set(MARKER, VERSION);
    }
  }

  private static UnifiedJedis connect(ServerKind kind, String uri) {
    return kind == ServerKind.CLUSTER
        ? RedisClusterClient.create(Servers.address(uri))
        : RedisClient.create(Servers.address(uri));
  }

  private static void write(UnifiedJedis jedis, int start, int end) {
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (int i = start; i < end; i++) {
        pipeline.set(NAMES[i], VALUES[i]);
      }
      pipeline.sync();
    }
  }

  /** Any index, each as likely. */
  static int randomIndex() {
    return ThreadLocalRandom.current().nextInt(KEYS);
  }

  /** Different indexes at random. */
  static int[] randomIndexes(int count) {
    Set<Integer> seen = new HashSet<>();
    int[] indexes = new int[count];
    for (int i = 0; i < count; ) {
      int index = randomIndex();
      if (seen.add(index)) {
        indexes[i++] = index;
      }
    }
    return indexes;
  }

  /**
   * Returns the value that was read.
   *
   * @throws IllegalStateException if it is not the one stored
   */
  static String check(int index, @Nullable String value) {
    if (value == null || !value.equals(VALUES[index])) {
      throw new IllegalStateException(
          "Read " + value + " for " + NAMES[index] + ", but " + VALUES[index] + " is stored");
    }
    return value;
  }

  /**
   * Returns the values that were read.
   *
   * @throws IllegalStateException if one is not the one stored
   */
  static @Nullable String[] check(int[] indexes, @Nullable String[] values) {
    if (values.length != indexes.length) {
      throw new IllegalStateException(
          "Read "
              + values.length
              + " values for "
              + indexes.length
              + " keys: "
              + Arrays.toString(values));
    }
    for (int i = 0; i < indexes.length; i++) {
      check(indexes[i], values[i]);
    }
    return values;
  }
}
