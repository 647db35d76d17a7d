package dev.sheaf.benchmarks;

import java.util.Arrays;
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

  /**
   * Steps that meet every index before the first one again: they have no divisor in common with
   * KEYS.
   */
  private static final int[] STEPS = {7, 101, 1_009, 10_007, 31_337, 49_999, 77_777, 99_991};

  static {
    for (int i = 0; i < KEYS; i++) {
      NAMES[i] = "sheaf-bench:" + (KEYS + i);
    }
  }

  private Dataset() {}

  static String key(int index) {
    return NAMES[index];
  }

  static String value(int index) {
    return (NAMES[index] + ";").repeat(VALUE_BYTES).substring(0, VALUE_BYTES);
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
        pipeline.set(NAMES[i], value(i));
      }
      pipeline.sync();
    }
  }

  /** Any index, each as likely. */
  static int randomIndex() {
    return ThreadLocalRandom.current().nextInt(KEYS);
  }

  /** Different indexes, scattered at random; cheap, as it is measured along. */
  static int[] randomIndexes(int count) {
    int[] indexes = new int[count];
    int step = STEPS[ThreadLocalRandom.current().nextInt(STEPS.length)];
    int index = randomIndex();
    for (int i = 0; i < count; i++) {
      indexes[i] = index;
      index = (index + step) % KEYS;
    }
    return indexes;
  }

  /**
   * Returns the value that was read. Looks at its length and the key in it, both at hand; comparing
   * with a stored copy would measure the cache misses on that copy.
   *
   * @throws IllegalStateException if it is not the one stored
   */
  static String check(int index, @Nullable String value) {
    if (value == null || value.length() != VALUE_BYTES || !value.startsWith(NAMES[index])) {
      throw new IllegalStateException(
          "Read " + value + " for " + NAMES[index] + ", but " + value(index) + " is stored");
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
