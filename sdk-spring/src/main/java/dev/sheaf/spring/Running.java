package dev.sheaf.spring;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a connection factory has from its start to its stop. Thread-safe. */
final class Running {

  private final BatchingClient client;
  private final AbstractRedisClient plain;
  private final Map<RedisCodec<?, ?>, Opened<?, ?>> opened = new IdentityHashMap<>();
  private volatile @Nullable SharedFace shared;
  private boolean closed;

  private record Opened<K, V>(Sheaf<K, V> sheaf, StatefulConnection<K, V> connection) {

    void close() {
      sheaf.close();
      connection.close();
    }
  }

  /**
   * Begins with nothing opened.
   *
   * @param plain whose resources the client uses
   */
  Running(BatchingClient client, AbstractRedisClient plain) {
    this.client = client;
    this.plain = plain;
  }

  BatchingClient client() {
    return client;
  }

  AbstractRedisClient plain() {
    return plain;
  }

  /**
   * The face of the connection that the templates share.
   *
   * @param connection null if they share none; one is opened for the face then
   */
  SharedFace faceOf(
      BatchingConnectionFactory factory, @Nullable StatefulConnection<byte[], byte[]> connection) {
    SharedFace known = shared;
    return known != null && (connection == null || known.isOver(connection))
        ? known
        : makeFace(factory, connection);
  }

  private synchronized SharedFace makeFace(
      BatchingConnectionFactory factory, @Nullable StatefulConnection<byte[], byte[]> connection) {
    SharedFace known = shared;
    if (known != null && (connection == null || known.isOver(connection))) {
      return known;
    }
    requireOpen(factory);
    StatefulConnection<byte[], byte[]> used =
        connection == null ? openedFor(factory, ByteArrayCodec.INSTANCE).connection() : connection;
    SharedFace made = new SharedFace(client, used);
    shared = made;
    if (known != null) {
      // The factory was told to reset its connection.
      known.close();
    }
    return made;
  }

  synchronized <K, V> Sheaf<K, V> own(BatchingConnectionFactory factory, RedisCodec<K, V> codec) {
    requireOpen(factory);
    return openedFor(factory, codec).sheaf();
  }

  @SuppressWarnings("unchecked") // Opened with this codec.
  private <K, V> Opened<K, V> openedFor(BatchingConnectionFactory factory, RedisCodec<K, V> codec) {
    Opened<K, V> known = (Opened<K, V>) opened.get(codec);
    if (known == null) {
      StatefulConnection<K, V> connection = factory.connect(codec);
      known = new Opened<>(client.over(connection, codec), connection);
      opened.put(codec, known);
    }
    return known;
  }

  private void requireOpen(BatchingConnectionFactory factory) {
    if (closed) {
      throw new IllegalStateException("The connection factory " + factory.name() + " is stopped");
    }
  }

  /** Closes what was opened; the factory's own connections stay open. */
  synchronized void closeFaces() {
    closed = true;
    SharedFace last = shared;
    shared = null;
    if (last != null) {
      last.close();
    }
    opened.values().forEach(Opened::close);
    opened.clear();
  }
}
