package dev.sheaf.spring;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisGeoCommands;
import org.springframework.data.redis.connection.RedisHashCommands;
import org.springframework.data.redis.connection.RedisHyperLogLogCommands;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisListCommands;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConnection;
import org.springframework.data.redis.connection.RedisSetCommands;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.RedisZSetCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/** Spring's connection, whose blocking commands see to the loops of the calling thread. */
final class BatchingConnection extends LettuceConnection {

  private final ConnectionUse use;

  BatchingConnection(
      Spare.Origin origin,
      Spare spare,
      @Nullable StatefulRedisConnection<byte[], byte[]> sharedConnection,
      LettuceConnectionProvider connectionProvider,
      long timeout,
      int database) {
    super(sharedConnection, connectionProvider, timeout, database);
    this.use = new ConnectionUse(origin, spare, this::waits);
  }

  /** In a pipeline or a transaction replies come later. */
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
    return use.get(key, super.stringCommands());
  }

  @Override
  public RedisGeoCommands geoCommands() {
    return use.seeing(RedisGeoCommands.class, super.geoCommands());
  }

  @Override
  public RedisHashCommands hashCommands() {
    return use.seeing(RedisHashCommands.class, super.hashCommands());
  }

  @Override
  public RedisHyperLogLogCommands hyperLogLogCommands() {
    return use.seeing(RedisHyperLogLogCommands.class, super.hyperLogLogCommands());
  }

  @Override
  public RedisKeyCommands keyCommands() {
    return use.seeing(RedisKeyCommands.class, super.keyCommands());
  }

  @Override
  public RedisListCommands listCommands() {
    return use.seeing(RedisListCommands.class, super.listCommands());
  }

  @Override
  public RedisSetCommands setCommands() {
    return use.seeing(RedisSetCommands.class, super.setCommands());
  }

  @Override
  public RedisStringCommands stringCommands() {
    return use.seeing(RedisStringCommands.class, super.stringCommands());
  }

  @Override
  public RedisZSetCommands zSetCommands() {
    return use.seeing(RedisZSetCommands.class, super.zSetCommands());
  }

  // ---- What keeps something that has to be closed

  @Override
  protected StatefulConnection<byte[], byte[]> doGetAsyncDedicatedConnection() {
    use.keepState();
    return super.doGetAsyncDedicatedConnection();
  }

  @Override
  protected StatefulRedisPubSubConnection<byte[], byte[]> switchToPubSub() {
    use.keepState();
    return super.switchToPubSub();
  }

  @Override
  protected RedisSentinelConnection getSentinelConnection(RedisNode sentinel) {
    use.keepState();
    return super.getSentinelConnection(sentinel);
  }

  @Override
  public void select(int database) {
    use.keepState();
    super.select(database);
  }

  @Override
  public void close() {
    if (!use.end(this)) {
      super.close();
    }
  }

  @Override
  public boolean isClosed() {
    return !use.isOpen() || super.isClosed();
  }
}
