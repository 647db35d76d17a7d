// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import dev.sheaf.Result;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.cache.BatchStrategy;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisClusterNode;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;

/**
 * Clears a cache with SCAN and UNLINK, on each primary of a cluster. KEYS and DEL, Spring's
 * default, block all other callers of the server until everything is done.
 */
final class ScanAndUnlink implements BatchStrategy {

  /** The COUNT of a SCAN and the size of a batch of UNLINK: well below a millisecond. */
  static final int KEYS_PER_STEP = 1_000;

  private final RedisConnectionFactory factory;

  ScanAndUnlink(RedisConnectionFactory factory) {
    this.factory = factory;
  }

  @Override
  public long cleanCache(RedisConnection connection, String name, byte[] pattern) {
    ScanOptions options = ScanOptions.scanOptions().count(KEYS_PER_STEP).match(pattern).build();
    if (!(connection instanceof RedisClusterConnection cluster)) {
      return unlinked(connection.keyCommands().scan(options));
    }
    long keys = 0;
    for (RedisClusterNode node : cluster.clusterGetNodes()) {
      if (node.isMaster() && !node.getSlotRange().getSlots().isEmpty()) {
        keys += unlinked(cluster.scan(node, options));
      }
    }
    return keys;
  }

  private long unlinked(Cursor<byte[]> found) {
    try (found) {
      long keys = 0;
      List<byte[]> step = new ArrayList<>();
      while (found.hasNext()) {
        step.add(found.next());
        if (step.size() == KEYS_PER_STEP) {
          keys += unlinked(step);
          step.clear();
        }
      }
      return keys + unlinked(step);
    }
  }

  private long unlinked(List<byte[]> keys) {
    for (Result<Boolean> result :
        BatchingConnectionFactory.require(factory).shared().deleteAll(keys).values()) {
      if (result instanceof Result.Failure<Boolean> failure) {
        throw new RedisSystemException("Some keys were not deleted", failure.error());
      }
    }
    return keys.size();
  }
}
