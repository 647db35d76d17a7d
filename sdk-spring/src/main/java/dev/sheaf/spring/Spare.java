package dev.sheaf.spring;

import io.lettuce.core.api.StatefulConnection;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * The connection that a thread closed last, for its next call: templates open and close one for
 * each call, and to make it costs more than a value that was read ahead. Confined to the thread.
 */
final class Spare {

  /**
   * What a connection was made of.
   *
   * @param target a database, or what sends commands to the nodes of a cluster
   */
  record Origin(
      SharedFace face,
      @Nullable StatefulConnection<byte[], byte[]> shared,
      LettuceConnectionProvider provider,
      long timeoutMillis,
      Object target) {}

  private final Thread thread = Thread.currentThread();
  private @Nullable LettuceConnection connection;
  private @Nullable ConnectionUse use;

  /** The connection, open again, or null if there is none of this origin. */
  @Nullable LettuceConnection take(Origin origin) {
    LettuceConnection idle = connection;
    ConnectionUse itsUse = use;
    connection = null;
    use = null;
    if (idle == null || itsUse == null || !itsUse.origin().equals(origin)) {
      return null; // What it was made of is gone, and it holds nothing that had to be closed.
    }
    itsUse.begin();
    return idle;
  }

  /** Whether the connection is kept, and not to be closed. */
  boolean keep(LettuceConnection closed, ConnectionUse itsUse) {
    if (Thread.currentThread() != thread || connection != null) {
      return false;
    }
    connection = closed;
    use = itsUse;
    return true;
  }
}
