// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisGeoCommands;
import org.springframework.data.redis.connection.RedisHashCommands;
import org.springframework.data.redis.connection.RedisHyperLogLogCommands;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisListCommands;
import org.springframework.data.redis.connection.RedisSetCommands;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.RedisZSetCommands;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;
import org.springframework.data.redis.core.Cursor;
import org.springframework.data.redis.core.ScanOptions;

/** A Spring connection whose blocking commands handle the loops of the calling thread. */
final class BatchingConnection extends LettuceConnection {

  private final Supplier<@Nullable SharedFace> faces;

  /**
   * Creates a connection.
   *
   * @param faces supplies the loop handling of blocking commands, or null while there is none
   */
  BatchingConnection(
      Supplier<@Nullable SharedFace> faces,
      @Nullable StatefulRedisConnection<byte[], byte[]> sharedConnection,
      LettuceConnectionProvider connectionProvider,
      long timeout,
      int database) {
    super(sharedConnection, connectionProvider, timeout, database);
    this.faces = faces;
  }

  /** In a pipeline or transaction, replies arrive later. */
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

  /**
   * Called by templates to scan: as Spring's own, with pages that loop learning can observe.
   *
   * @deprecated as in the interface that templates use
   */
  @Override
  @Deprecated
  public Cursor<byte[]> scan(ScanOptions options) {
    SharedFace face = faces.get();
    return face != null && face.learns()
        ? new SeenScan(this, face, options).open()
        : super.keyCommands().scan(options);
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
