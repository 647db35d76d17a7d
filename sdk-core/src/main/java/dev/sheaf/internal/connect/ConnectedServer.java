// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.wait.Deadlines;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import org.jspecify.annotations.Nullable;

/**
 * A connected Lettuce client with its three command interfaces, for one server or a cluster.
 *
 * @param standalone the connection if there is one server, else null
 * @param cluster the connection if there is a cluster, else null
 */
public record ConnectedServer<K, V>(
    AbstractRedisClient client,
    StatefulConnection<K, V> connection,
    RedisClusterCommands<K, V> sync,
    RedisClusterAsyncCommands<K, V> async,
    RedisClusterReactiveCommands<K, V> reactive,
    @Nullable StatefulRedisConnection<K, V> standalone,
    @Nullable StatefulRedisClusterConnection<K, V> cluster) {

  public static <K, V> ConnectedServer<K, V> of(
      StatefulRedisConnection<K, V> connection, AbstractRedisClient client) {
    return new ConnectedServer<>(
        client,
        connection,
        connection.sync(),
        connection.async(),
        connection.reactive(),
        connection,
        null);
  }

  public static <K, V> ConnectedServer<K, V> of(
      StatefulRedisClusterConnection<K, V> connection, AbstractRedisClient client) {
    return new ConnectedServer<>(
        client,
        connection,
        connection.sync(),
        connection.async(),
        connection.reactive(),
        null,
        connection);
  }

  /**
   * The time-outs of a connection whose blocking commands wait through {@code AwaitedCommand}. Null
   * for other connections, such as Lettuce's to a primary and its replicas. They wait in their own
   * way, so their commands must not be collected until they wait.
   */
  public static @Nullable Deadlines deadlines(StatefulConnection<?, ?> connection) {
    if (connection instanceof CoalescingConnection<?, ?> node) {
      return node.deadlines();
    }
    return connection instanceof CoalescingClusterConnection<?, ?> cluster
        ? cluster.deadlines()
        : null;
  }
}
