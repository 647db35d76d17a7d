// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.connection;

import io.lettuce.core.ConnectionFuture;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.resource.ClientResources;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * A client that never connects and records the addresses it is given, to find out the nodes of a
 * connection to a primary with replicas.
 */
final class NodesOfConnections extends RedisClient {

  private final List<RedisURI> asked = new CopyOnWriteArrayList<>();

  private NodesOfConnections(ClientResources resources) {
    super(resources, new RedisURI());
  }

  /**
   * Returns the nodes that a connection is given.
   *
   * @param providers creates a connection provider for a client
   * @throws UnknownServersException if it asks the client for no connection
   */
  static List<RedisURI> of(
      ClientResources resources, Function<RedisClient, LettuceConnectionProvider> providers) {
    NodesOfConnections client = new NodesOfConnections(resources);
    // Not awaited: it never completes.
    providers.apply(client).getConnectionAsync(StatefulConnection.class);
    if (client.asked.isEmpty()) {
      throw new UnknownServersException(
          "this version of Lettuce does not say where the primary and its replicas are");
    }
    return List.copyOf(client.asked);
  }

  @Override
  public <K, V> ConnectionFuture<StatefulRedisConnection<K, V>> connectAsync(
      RedisCodec<K, V> codec, RedisURI uri) {
    asked.add(uri);
    return ConnectionFuture.from(
        InetSocketAddress.createUnresolved("localhost", 0), new CompletableFuture<>());
  }
}
