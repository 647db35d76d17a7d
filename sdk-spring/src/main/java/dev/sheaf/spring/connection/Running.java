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
 * What a connection factory has from its start to its stop. Thread-safe.
 *
 * <p>Nothing connects while it holds the monitor: callers of one attempt wait for that attempt
 * alone, and a stop waits for none.
 */
final class Running {

  private final BatchingClient client;
  private final AbstractRedisClient plain;

  /** Connections of Sheaf's own, open or being opened. Guarded by this. */
  private final IdentityHashMap<RedisCodec<?, ?>, CompletableFuture<Opened<?, ?>>> opened =
      new IdentityHashMap<>();

  private volatile @Nullable SharedFace shared;
  private volatile boolean tried;
  private boolean closed;

  /** The attempt to connect that is under way, or the last one. Guarded by this. */
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

  /** The face of the connection that the templates share. */
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
      // The factory was told to reset its connection.
      known.close();
    }
    return made;
  }

  /** A face over a connection of its own, for a factory whose templates share none. Connects. */
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

  /** Waits for the thread that connects, which a limit of its own ends. */
  @SuppressWarnings("unchecked") // Opened with the codec that it was found by.
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

  /** One guard for all: that of the connection that the templates share. */
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
   * Closes what was opened, and fails the callers who wait for a connection; what is connected
   * after this is closed by the thread that connected it. The factory's own connections stay open.
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
