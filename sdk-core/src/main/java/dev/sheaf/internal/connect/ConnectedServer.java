// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import org.jspecify.annotations.Nullable;

/**
 * A connected Lettuce client with its three command interfaces, one server and a cluster alike.
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
   * Whether threads wait for the blocking commands of a connection as this client's own do. Others,
   * such as Lettuce's connection to a primary and its replicas, wait by themselves: nothing may be
   * held back until they wait.
   */
  public static boolean isOwn(StatefulConnection<?, ?> connection) {
    return connection instanceof CoalescingConnection<?, ?>
        || connection instanceof CoalescingClusterConnection<?, ?>;
  }
}
