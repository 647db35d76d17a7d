// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.RedisConnectionFailureException;

/**
 * The state of a connection factory between its start and its stop. Thread-safe.
 *
 * <p>No thread connects while it holds the monitor. Callers of one attempt wait for that attempt
 * alone, and a stop waits for none.
 */
final class Running {

  private final BatchingClient client;
  private final AbstractRedisClient plain;

  /** Sheaf's own connections, open or being opened. Guarded by this. */
  private final IdentityHashMap<RedisCodec<?, ?>, CompletableFuture<Opened<?, ?>>> opened =
      new IdentityHashMap<>();

  private volatile @Nullable SharedFace shared;
  private volatile boolean tried;
  private boolean closed;

  /** The current or last attempt to connect. Guarded by this. */
  private @Nullable CompletableFuture<Sheaf<byte[], byte[]>> connecting;

  private record Opened<K, V>(Sheaf<K, V> sheaf, StatefulConnection<K, V> connection) {

    void close() {
      sheaf.close();
      connection.close();
    }
  }

  /**
   * Creates the state without opening anything.
   *
   * @param plain the client whose resources are used
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

  /** Returns the {@link Sheaf} of the connection that the templates share, if it exists already. */
  @Nullable SharedFace known() {
    return shared;
  }

  /** Returns whether an attempt to connect has ended, successfully or not. */
  boolean hasTried() {
    return tried || shared != null;
  }

  /** Connects on a separate thread, because that blocks. Callers share an attempt. */
  synchronized CompletableFuture<Sheaf<byte[], byte[]>> connecting(
      BatchingConnectionFactory factory) {
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

  private static void connect(
      BatchingConnectionFactory factory, CompletableFuture<Sheaf<byte[], byte[]>> attempt) {
    try {
      attempt.complete(factory.shared());
    } catch (RuntimeException | Error e) {
      attempt.completeExceptionally(e);
    }
  }

  /** Returns the {@link Sheaf} of the connection that the templates share. */
  SharedFace faceOf(
      BatchingConnectionFactory factory, StatefulConnection<byte[], byte[]> connection) {
    SharedFace known = shared;
    return known != null && known.isOver(connection) ? known : makeFace(factory, connection);
  }

  private synchronized SharedFace makeFace(
      BatchingConnectionFactory factory, StatefulConnection<byte[], byte[]> connection) {
    SharedFace known = shared;
    if (known != null && known.isOver(connection)) {
      return known;
    }
    requireOpen(factory);
    SharedFace made = new SharedFace(client, connection);
    shared = made;
    if (known != null) {
      // The factory was asked to reset its connection.
      known.close();
    }
    return made;
  }

  /** Opens a connection of Sheaf's own, for a factory whose templates share none. */
  SharedFace ownFace(BatchingConnectionFactory factory) {
    SharedFace known = shared;
    return known != null
        ? known
        : faceOf(factory, openedFor(factory, ByteArrayCodec.INSTANCE).connection());
  }

  <K, V> Sheaf<K, V> own(BatchingConnectionFactory factory, RedisCodec<K, V> codec) {
    return openedFor(factory, codec).sheaf();
  }

  private <K, V> Opened<K, V> openedFor(BatchingConnectionFactory factory, RedisCodec<K, V> codec) {
    CompletableFuture<Opened<?, ?>> attempt = new CompletableFuture<>();
    CompletableFuture<Opened<?, ?>> first;
    synchronized (this) {
      requireOpen(factory);
      first = opened.putIfAbsent(codec, attempt);
    }
    return first == null ? open(factory, codec, attempt) : opened(first);
  }

  private <K, V> Opened<K, V> open(
      BatchingConnectionFactory factory,
      RedisCodec<K, V> codec,
      CompletableFuture<Opened<?, ?>> attempt) {
    try {
      StatefulConnection<K, V> connection = factory.connect(codec);
      Opened<K, V> result =
          new Opened<>(client.over(connection, codec, () -> watched(factory)), connection);
      if (!attempt.complete(result)) {
        result.close();
        throw stopped(factory);
      }
      return result;
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        opened.remove(codec, attempt);
      }
      attempt.completeExceptionally(e);
      throw e;
    }
  }

  /** Waits for the connecting thread, which has a time limit of its own. */
  @SuppressWarnings("unchecked") // Opened with the codec that is its key.
  private static <K, V> Opened<K, V> opened(CompletableFuture<Opened<?, ?>> attempt) {
    try {
      return (Opened<K, V>) attempt.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisConnectionFailureException("Interrupted while Redis was being connected", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new RedisConnectionFailureException("Unable to connect to Redis", e.getCause());
    }
  }

  /** All use one guard, that of the connection that the templates share. */
  private Sheaf<byte[], byte[]> watched(BatchingConnectionFactory factory) {
    SharedFace known = shared;
    return known == null ? factory.shared() : known.sheaf();
  }

  private void requireOpen(BatchingConnectionFactory factory) {
    if (closed) {
      throw stopped(factory);
    }
  }

  private static IllegalStateException stopped(BatchingConnectionFactory factory) {
    return new IllegalStateException(
        "The connection factory " + factory.name() + " is stopped; start it first");
  }

  /**
   * Closes what was opened, and fails callers that wait for a connection. A connection that is
   * opened after this is closed by its connecting thread. The factory's own connections stay open.
   */
  void close(BatchingConnectionFactory factory) {
    SharedFace last;
    List<CompletableFuture<Opened<?, ?>>> all;
    synchronized (this) {
      closed = true;
      last = shared;
      shared = null;
      all = new ArrayList<>(opened.values());
      opened.clear();
    }
    if (last != null) {
      last.close();
    }
    for (CompletableFuture<Opened<?, ?>> each : all) {
      if (!each.completeExceptionally(stopped(factory)) && !each.isCompletedExceptionally()) {
        Objects.requireNonNull(each.join()).close();
      }
    }
  }
}
