package dev.sheaf.benchmarks;

import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * What is stored and read: {@value #KEYS} keys with values of {@value #VALUE_BYTES} bytes, and the
 * values of the first of them once more under keys with a common hash tag.
 */
final class Dataset {

  static final int KEYS = 100_000;
  static final int VALUE_BYTES = 100;

  /** Says which data set a server holds, so that the processes of one comparison load it once. */
  private static final String MARKER = "sheaf-bench:loaded";

  private static final String VERSION = KEYS + "x" + VALUE_BYTES + "+" + Layout.TAGGED.keys();
  private static final int KEYS_PER_WRITE = 5_000;

  /** Where the number of a key stands in its value. */
  private static final int NUMBER_BEGINS = 12;

  private static final int NUMBER_ENDS = 18;

  /** Leads from a key to one far from it. */
  private static final int NEXT = 50_021;

  /**
   * Steps that meet every index before the first one again: they have no divisor in common with the
   * number of keys.
   */
  private static final int[] STEPS = {7, 101, 1_009, 10_007, 31_337, 49_999, 77_777, 99_991};

  private Dataset() {}

  static String key(int index) {
    return Layout.SCATTERED.key(index);
  }

  static String value(int index) {
    return (key(index) + ";").repeat(VALUE_BYTES).substring(0, VALUE_BYTES);
  }

  /** The index of the key that a value names as the next one to read. */
  static int following(int index) {
    return (index + NEXT) % KEYS;
  }

  /** The key that a value names as the next one to read. */
  static String following(@Nullable String value) {
    if (value == null) {
      throw new IllegalStateException("Read no value, so there is no next key");
    }
    return key(following(Integer.parseInt(value, NUMBER_BEGINS, NUMBER_ENDS, 10) - KEYS));
  }

  /** The keys that values name as the next ones to read. */
  static String[] following(@Nullable String[] values) {
    String[] keys = new String[values.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = following(values[i]);
    }
    return keys;
  }

  /** Stores the data set unless it is there. */
  static void load(ServerKind kind, String uri) {
    try (UnifiedJedis jedis = connect(kind, uri)) {
      if (VERSION.equals(jedis.get(MARKER))) {
        return;
      }
      for (Layout layout : Layout.values()) {
        for (int start = 0; start < layout.keys(); start += KEYS_PER_WRITE) {
          write(jedis, layout, start, Math.min(layout.keys(), start + KEYS_PER_WRITE));
        }
      }
      jedis.set(MARKER, VERSION);
    }
  }

  static UnifiedJedis connect(ServerKind kind, String uri) {
    return kind == ServerKind.CLUSTER
        ? RedisClusterClient.create(Servers.address(uri))
        : RedisClient.create(Servers.address(uri));
  }

  private static void write(UnifiedJedis jedis, Layout layout, int start, int end) {
    try (AbstractPipeline pipeline = jedis.pipelined()) {
      for (int i = start; i < end; i++) {
        pipeline.set(layout.key(i), value(i));
      }
      pipeline.sync();
    }
  }

  /** Any index, each as likely. */
  static int randomIndex() {
    return ThreadLocalRandom.current().nextInt(KEYS);
  }

  /** Different indexes below a limit, scattered at random; cheap, as it is measured along. */
  static int[] randomIndexes(int count, int limit) {
    int[] indexes = new int[count];
    int step = STEPS[ThreadLocalRandom.current().nextInt(STEPS.length)];
    int index = ThreadLocalRandom.current().nextInt(limit);
    for (int i = 0; i < count; i++) {
      indexes[i] = index;
      index = (index + step) % limit;
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
    if (value == null || value.length() != VALUE_BYTES || !value.startsWith(key(index))) {
      throw new IllegalStateException(
          "Read " + value + " for " + key(index) + ", but " + value(index) + " is stored");
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
