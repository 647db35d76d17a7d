package dev.sheaf.spring;

import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
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

/** Spring's connection to a cluster, as {@link BatchingConnection}. */
final class BatchingClusterConnection extends LettuceClusterConnection {

  private final SharedFace face;

  BatchingClusterConnection(
      SharedFace face,
      @Nullable StatefulRedisClusterConnection<byte[], byte[]> sharedConnection,
      LettuceConnectionProvider connectionProvider,
      ClusterTopologyProvider topologyProvider,
      ClusterCommandExecutor executor,
      Duration timeout) {
    super(sharedConnection, connectionProvider, topologyProvider, executor, timeout);
    this.face = face;
  }

  /** In a pipeline replies come later. */
  private boolean waits() {
    return !isPipelined() && !isQueueing();
  }

  /**
   * What {@code opsForValue().get} calls: spared the object that other commands are seen through.
   *
   * @deprecated as in the interface that templates call
   */
  @Override
  @Deprecated
  public byte @Nullable [] get(byte[] key) {
    return key != null && waits()
        ? face.get(key, super.stringCommands())
        : super.stringCommands().get(key);
  }

  @Override
  public RedisGeoCommands geoCommands() {
    return face.seeing(RedisGeoCommands.class, super.geoCommands(), this::waits);
  }

  @Override
  public RedisHashCommands hashCommands() {
    return face.seeing(RedisHashCommands.class, super.hashCommands(), this::waits);
  }

  @Override
  public RedisHyperLogLogCommands hyperLogLogCommands() {
    return face.seeing(RedisHyperLogLogCommands.class, super.hyperLogLogCommands(), this::waits);
  }

  @Override
  public RedisKeyCommands keyCommands() {
    return face.seeing(RedisKeyCommands.class, super.keyCommands(), this::waits);
  }

  @Override
  public RedisListCommands listCommands() {
    return face.seeing(RedisListCommands.class, super.listCommands(), this::waits);
  }

  @Override
  public RedisSetCommands setCommands() {
    return face.seeing(RedisSetCommands.class, super.setCommands(), this::waits);
  }

  @Override
  public RedisStringCommands stringCommands() {
    return face.seeing(RedisStringCommands.class, super.stringCommands(), this::waits);
  }

  @Override
  public RedisZSetCommands zSetCommands() {
    return face.seeing(RedisZSetCommands.class, super.zSetCommands(), this::waits);
  }
}
