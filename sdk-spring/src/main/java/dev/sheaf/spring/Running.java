package dev.sheaf.spring;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a connection factory has from its start to its stop. Thread-safe. */
final class Running {

  private final BatchingClient client;
  private final AbstractRedisClient plain;
  private final Map<RedisCodec<?, ?>, Opened<?, ?>> opened = new IdentityHashMap<>();
  private volatile @Nullable SharedFace shared;
  private volatile boolean tried;
  private boolean closed;

  /** The attempt to connect that is under way, or the last one. Guarded by the map. */
  private @Nullable CompletableFuture<Sheaf<byte[], byte[]>> connecting;

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

  /** The face of the connection that the templates share, if there is one already. */
  @Nullable SharedFace known() {
    return shared;
  }

  /** Whether an attempt to connect has come to an end, good or bad. */
  boolean hasTried() {
    return tried || shared != null;
  }

  /** Connects on a thread of its own, since that blocks; callers share an attempt. */
  CompletableFuture<Sheaf<byte[], byte[]>> connecting(BatchingConnectionFactory factory) {
    synchronized (opened) {
      CompletableFuture<Sheaf<byte[], byte[]>> last = connecting;
      if (last != null && !last.isDone()) {
        return last;
      }
      CompletableFuture<Sheaf<byte[], byte[]>> next = new CompletableFuture<>();
      next.whenComplete((sheaf, failure) -> tried = true);
      Thread thread = new Thread(() -> connect(factory, next), "sheaf-connect");
      thread.setDaemon(true);
      thread.start();
      connecting = next;
      return next;
    }
  }

  private static void connect(
      BatchingConnectionFactory factory, CompletableFuture<Sheaf<byte[], byte[]>> attempt) {
    try {
      attempt.complete(factory.shared());
    } catch (RuntimeException | Error e) {
      attempt.completeExceptionally(e);
    }
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
      known = new Opened<>(client.over(connection, codec, () -> watched(factory)), connection);
      opened.put(codec, known);
    }
    return known;
  }

  /** One guard for all: that of the connection that the templates share. */
  private Sheaf<byte[], byte[]> watched(BatchingConnectionFactory factory) {
    SharedFace known = shared;
    return known == null ? factory.shared() : known.sheaf();
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
