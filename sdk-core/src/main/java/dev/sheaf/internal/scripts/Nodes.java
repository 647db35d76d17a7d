// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The primaries a client is connected to. Thread-safe. */
final class Nodes<K, V> {

  /** Represents the only node of a standalone server, and a slot without a node. */
  private static final String ONLY = "";

  private final StatefulConnection<K, V> connection;
  private final @Nullable StatefulRedisClusterConnection<K, V> cluster;

  Nodes(StatefulConnection<K, V> connection) {
    this.connection = connection;
    this.cluster =
        connection instanceof StatefulRedisClusterConnection<K, V> clustered ? clustered : null;
  }

  boolean isCluster() {
    return cluster != null;
  }

  /** Returns the node that probably serves a slot, as an object to compare. */
  String nodeOf(int slot) {
    RedisClusterNode node = cluster == null ? null : cluster.getPartitions().getMasterBySlot(slot);
    return node == null ? ONLY : node.getNodeId();
  }

  /** Returns whether a command sent now would become part of a transaction. */
  boolean isInTransaction() {
    return connection instanceof StatefulRedisConnection<?, ?> server && server.isMulti();
  }

  /** Sends a command, routed by its keys. */
  @SuppressWarnings("unchecked") // Commands carry encoded bytes and decode their own replies.
  void dispatch(RedisCommand<?, ?, ?> command) {
    try {
      connection.dispatch((RedisCommand<K, V, ?>) command);
    } catch (RuntimeException e) {
      command.completeExceptionally(e);
    }
  }

  /**
   * Sends a separate command to each primary with slots. The futures are in no particular order.
   */
  List<CompletableFuture<String>> toEachPrimary(Supplier<AsyncCommand<?, ?, String>> commands) {
    List<CompletableFuture<String>> replies = new ArrayList<>();
    if (cluster == null) {
      replies.add(toOnlyServer(commands.get()));
      return replies;
    }
    for (RedisClusterNode node : cluster.getPartitions()) {
      if (node.getRole().isUpstream() && !node.getSlots().isEmpty()) {
        replies.add(toNode(cluster, node, commands.get()));
      }
    }
    return replies;
  }

  /** Sends a command to the node that probably serves a slot. */
  CompletableFuture<String> toNodeOf(int slot, AsyncCommand<?, ?, String> command) {
    RedisClusterNode node = cluster == null ? null : cluster.getPartitions().getMasterBySlot(slot);
    return cluster == null || node == null ? toOnlyServer(command) : toNode(cluster, node, command);
  }

  private CompletableFuture<String> toOnlyServer(AsyncCommand<?, ?, String> command) {
    dispatch(command);
    return command;
  }

  @SuppressWarnings("unchecked") // As in dispatch().
  private CompletableFuture<String> toNode(
      StatefulRedisClusterConnection<K, V> cluster,
      RedisClusterNode node,
      AsyncCommand<?, ?, String> command) {
    CompletableFuture<StatefulRedisConnection<K, V>> connected;
    try {
      connected = cluster.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
    } catch (RuntimeException e) {
      // Lettuce has no node left to connect to.
      return CompletableFuture.failedFuture(
          new RedisException(
              "The connection is closed, because the client is, or because the node left the"
                  + " cluster",
              e));
    }
    return connected.thenCompose(
        opened -> {
          opened.dispatch((RedisCommand<K, V, String>) (RedisCommand<?, ?, String>) command);
          return command;
        });
  }
}
