// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.BulkLane;
import dev.sheaf.SheafException;
import dev.sheaf.internal.connect.ConnectedServer;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The bulk lane of a client, opened at its first use. Thread-safe. */
final class LazyBulkLane<K, V> implements AutoCloseable {

  private final Supplier<ConnectedServer<K, V>> connect;
  private final Function<ConnectedServer<K, V>, RedisClusterCommands<K, V>> blocking;
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable Open<K, V> open;
  private boolean closed;

  /**
   * Creates a lane without connecting it.
   *
   * @param connect opens a connection, or throws
   * @param blocking creates the blocking commands of a connection
   */
  LazyBulkLane(
      Supplier<ConnectedServer<K, V>> connect,
      Function<ConnectedServer<K, V>, RedisClusterCommands<K, V>> blocking) {
    this.connect = connect;
    this.blocking = blocking;
  }

  /**
   * Returns the lane, connected.
   *
   * @throws SheafException if it could not be connected; the next call tries again
   */
  BulkLane<K, V> get() {
    Open<K, V> found = open;
    return found == null ? openOnce() : found;
  }

  private BulkLane<K, V> openOnce() {
    opening.lock();
    try {
      Open<K, V> found = open;
      if (found == null) {
        if (closed) {
          throw new SheafException("The client is closed, so its bulk lane cannot be opened");
        }
        ConnectedServer<K, V> server = connect.get();
        found = new Open<>(server, blocking.apply(server));
        open = found;
      }
      return found;
    } finally {
      opening.unlock();
    }
  }

  @Override
  public void close() {
    opening.lock();
    try {
      closed = true;
      Open<K, V> found = open;
      if (found != null) {
        found.server.connection().close();
      }
    } finally {
      opening.unlock();
    }
  }

  private record Open<K, V>(ConnectedServer<K, V> server, RedisClusterCommands<K, V> sync)
      implements BulkLane<K, V> {

    @Override
    public RedisClusterAsyncCommands<K, V> async() {
      return server.async();
    }

    @Override
    public RedisClusterReactiveCommands<K, V> reactive() {
      return server.reactive();
    }
  }
}
