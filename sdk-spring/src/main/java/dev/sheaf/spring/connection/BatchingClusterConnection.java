// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.ClusterCommandExecutor;
import org.springframework.data.redis.connection.ClusterTopologyProvider;
import org.springframework.data.redis.connection.RedisGeoCommands;
import org.springframework.data.redis.connection.RedisHashCommands;
import org.springframework.data.redis.connection.RedisHyperLogLogCommands;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisListCommands;
import org.springframework.data.redis.connection.RedisSetCommands;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.RedisZSetCommands;
import org.springframework.data.redis.connection.lettuce.LettuceClusterConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/** A Spring connection to a cluster, as {@link BatchingConnection}. */
final class BatchingClusterConnection extends LettuceClusterConnection {

  private final Supplier<@Nullable SharedFace> faces;

  /**
   * Creates a connection.
   *
   * @param faces supplies the loop handling of blocking commands, or null while there is none
   */
  BatchingClusterConnection(
      Supplier<@Nullable SharedFace> faces,
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> sharedConnection,
      LettuceConnectionProvider connectionProvider,
      ClusterTopologyProvider topologyProvider,
      ClusterCommandExecutor executor,
      Duration timeout) {
    super(sharedConnection, connectionProvider, topologyProvider, executor, timeout);
    this.faces = faces;
  }

  /** In a pipeline, replies arrive later. */
  private boolean waits() {
    return !isPipelined() && !isQueueing();
  }

  private <T> T seeing(Class<T> type, T commands) {
    SharedFace face = faces.get();
    return face == null ? commands : face.seeing(type, commands, this::waits);
  }

  /**
   * Called by {@code opsForValue().get}. Avoids the wrapper of the other commands.
   *
   * @deprecated as in the interface that templates use
   */
  @Override
  @Deprecated
  public byte @Nullable [] get(byte[] key) {
    SharedFace face = faces.get();
    return face != null && key != null && waits()
        ? face.get(key, super.stringCommands())
        : super.stringCommands().get(key);
  }

  @Override
  public RedisGeoCommands geoCommands() {
    return seeing(RedisGeoCommands.class, super.geoCommands());
  }

  @Override
  public RedisHashCommands hashCommands() {
    return seeing(RedisHashCommands.class, super.hashCommands());
  }

  @Override
  public RedisHyperLogLogCommands hyperLogLogCommands() {
    return seeing(RedisHyperLogLogCommands.class, super.hyperLogLogCommands());
  }

  @Override
  public RedisKeyCommands keyCommands() {
    return seeing(RedisKeyCommands.class, super.keyCommands());
  }

  @Override
  public RedisListCommands listCommands() {
    return seeing(RedisListCommands.class, super.listCommands());
  }

  @Override
  public RedisSetCommands setCommands() {
    return seeing(RedisSetCommands.class, super.setCommands());
  }

  @Override
  public RedisStringCommands stringCommands() {
    return seeing(RedisStringCommands.class, super.stringCommands());
  }

  @Override
  public RedisZSetCommands zSetCommands() {
    return seeing(RedisZSetCommands.class, super.zSetCommands());
  }
}
