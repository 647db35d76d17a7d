// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.internal.compression.dictionary.DictionaryStore;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An iteration over all keys with a prefix, except those of dictionaries: node by node, in steps,
 * with a limited rate. Not thread-safe.
 */
final class KeyScan {

  /** The cursor at which the scan of a node starts. */
  static final String BEGINNING = "0";

  private final StatefulConnection<?, ?> connection;
  private final String prefix;
  private final int keysPerSecond;
  private final int keysPerStep;
  private final long startNanos = System.nanoTime();

  KeyScan(StatefulConnection<?, ?> connection, String prefix, int keysPerSecond, int keysPerStep) {
    this.connection = connection;
    this.prefix = prefix;
    this.keysPerSecond = keysPerSecond;
    this.keysPerStep = keysPerStep;
  }

  /** Returns the server, or the primaries of a cluster with slots, by a stable name. */
  Map<String, StoredCommands> nodes() {
    Map<String, StoredCommands> nodes = new LinkedHashMap<>();
    if (connection instanceof StatefulRedisClusterConnection<?, ?> cluster) {
      for (RedisClusterNode node : cluster.getPartitions()) {
        if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
          nodes.put(node.getNodeId(), new StoredCommands(cluster.getConnection(node.getNodeId())));
        }
      }
    } else {
      nodes.put("server", new StoredCommands(connection));
    }
    return nodes;
  }

  /**
   * Some keys of a node.
   *
   * @param next the next cursor; {@link #BEGINNING} after the last keys
   */
  record Step(List<byte[]> keys, String next) {}

  Step step(StoredCommands node, String cursor) {
    CommandArgs<byte[], byte[]> scan =
        StoredCommands.args()
            .add(cursor.getBytes(StandardCharsets.US_ASCII))
            .add("MATCH")
            .add(pattern(prefix))
            .add("COUNT")
            .add(keysPerStep);
    List<?> reply = (List<?>) notNull(node.call(CommandType.SCAN, scan));
    List<byte[]> keys =
        ((List<?>) notNull(reply.get(1)))
            .stream().map(key -> (byte[]) key).filter(key -> !isOfDictionaries(key)).toList();
    return new Step(keys, new String((byte[]) notNull(reply.get(0)), StandardCharsets.US_ASCII));
  }

  static Object notNull(@Nullable Object part) {
    if (part == null) {
      throw new IllegalStateException("The server answered a scan with a nil");
    }
    return part;
  }

  /** Returns a pattern that matches exactly the keys with a prefix. */
  static byte[] pattern(String prefix) {
    ByteArrayOutputStream pattern = new ByteArrayOutputStream();
    for (byte b : prefix.getBytes(StandardCharsets.UTF_8)) {
      if (b == '*' || b == '?' || b == '[' || b == ']' || b == '\\' || b == '^') {
        pattern.write('\\');
      }
      pattern.write(b);
    }
    pattern.write('*');
    return pattern.toByteArray();
  }

  /** These are needed unchanged to decode anything else. */
  private static boolean isOfDictionaries(byte[] key) {
    byte[] own = DictionaryStore.KEY.getBytes(StandardCharsets.UTF_8);
    return key.length >= own.length && Arrays.equals(key, 0, own.length, own, 0, own.length);
  }

  /**
   * Sleeps as long as the rate limit requires.
   *
   * @param looked the number of keys, fields and elements since the start
   */
  void keepPace(long looked) {
    long dueNanos = startNanos + looked * TimeUnit.SECONDS.toNanos(1) / keysPerSecond;
    try {
      TimeUnit.NANOSECONDS.sleep(Math.max(0, dueNanos - System.nanoTime()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }
}
