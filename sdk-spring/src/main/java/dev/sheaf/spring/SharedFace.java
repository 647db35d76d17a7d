package dev.sheaf.spring;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisStringCommands;

/** Sheaf over the connection that the templates of one factory share. Thread-safe. */
final class SharedFace {

  private final BatchingClient client;
  private final StatefulConnection<byte[], byte[]> connection;
  private final Sheaf<byte[], byte[]> sheaf;

  SharedFace(BatchingClient client, StatefulConnection<byte[], byte[]> connection) {
    this.client = client;
    this.connection = connection;
    this.sheaf = client.over(connection, ByteArrayCodec.INSTANCE);
  }

  Sheaf<byte[], byte[]> sheaf() {
    return sheaf;
  }

  StatefulConnection<byte[], byte[]> connection() {
    return connection;
  }

  @SuppressWarnings("ReferenceEquality") // This very connection; another one has other sockets.
  boolean isOver(StatefulConnection<byte[], byte[]> other) {
    return connection == other;
  }

  /**
   * Commands of Spring that see to the loops of the calling thread.
   *
   * @param waits whether they wait for replies now
   */
  <T> T seeing(Class<T> type, T commands, BooleanSupplier waits) {
    return client.blocking(sheaf, type, commands, waits);
  }

  /** A GET of Spring that sees to the loops of the calling thread, and waits for its reply. */
  byte @Nullable [] get(byte[] key, RedisStringCommands commands) {
    return client.blockingGet(sheaf, key, () -> commands.get(key));
  }

  void close() {
    sheaf.close();
  }
}
