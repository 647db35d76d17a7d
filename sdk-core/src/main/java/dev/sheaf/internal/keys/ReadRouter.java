// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.CoalescingClusterConnection;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.pipeline.NodePipeline;
import dev.sheaf.internal.pipeline.NodeWriter;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import java.util.IdentityHashMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Finds the node connections of reads in Lettuce's view of the cluster, once for all reads of a
 * node.
 *
 * <p>Lettuce routes each command separately, which for a hundred small reads costs more than
 * sending and answering them. Lettuce still routes the special cases: reads from replicas, unknown
 * slots, nodes that are not connected, transactions and command listeners.
 *
 * <p>Thread-safe.
 */
public final class ReadRouter<K, V> {

  private final StatefulConnection<K, V> connection;
  private final RedisCodec<K, V> codec;
  private final @Nullable StatefulRedisConnection<K, V> standalone;
  private final @Nullable StatefulRedisClusterConnection<K, V> cluster;
  private final @Nullable CompressionEngine compression;

  public ReadRouter(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      @Nullable CompressionEngine compression) {
    this.connection = server.connection();
    this.codec = codec;
    this.compression = compression;
    this.standalone = server.standalone();
    this.cluster = server.cluster();
  }

  public StatefulConnection<K, V> connection() {
    return connection;
  }

  public RedisCodec<K, V> codec() {
    return codec;
  }

  /** Decompresses values; null without compression. */
  @Nullable CompressionEngine compression() {
    return compression;
  }

  /** The pipeline of the server; null on a cluster, or if Lettuce must route. */
  @Nullable NodePipeline onlyServer() {
    return cluster != null || standalone == null || standalone.isMulti()
        ? null
        : pipelineOf(standalone);
  }

  /** A snapshot of the routes, for a few reads of one thread. */
  Routes<K, V> routes() {
    if (cluster == null) {
      return new Routes<>(onlyServer(), null, null);
    }
    return CoalescingClusterConnection.readsPrimaries(cluster)
        ? new Routes<>(null, cluster, cluster.getPartitions())
        : new Routes<>(null, null, null);
  }

  private static @Nullable NodePipeline pipelineOf(@Nullable StatefulConnection<?, ?> connection) {
    return connection instanceof StatefulRedisConnectionImpl<?, ?> node
            && node.getChannelWriter() instanceof NodeWriter writer
            && !writer.isListenedTo()
        ? writer.pipeline()
        : null;
  }

  /** A snapshot of the routes. Confined to a thread. */
  static final class Routes<K, V> {

    private final @Nullable NodePipeline only;
    private final @Nullable StatefulRedisClusterConnection<K, V> cluster;
    private final @Nullable Partitions partitions;
    private final IdentityHashMap<RedisClusterNode, @Nullable NodePipeline> pipelines =
        new IdentityHashMap<>();

    private Routes(
        @Nullable NodePipeline only,
        @Nullable StatefulRedisClusterConnection<K, V> cluster,
        @Nullable Partitions partitions) {
      this.only = only;
      this.cluster = cluster;
      this.partitions = partitions;
    }

    /** The pipeline for a read; null if Lettuce must route it. */
    @Nullable NodePipeline of(EncodedCommand<?, ?, ?> read) {
      return cluster == null || partitions == null ? only : of(cluster, partitions, read.slot());
    }

    private @Nullable NodePipeline of(
        StatefulRedisClusterConnection<K, V> cluster, Partitions partitions, int slot) {
      RedisClusterNode node = partitions.getMasterBySlot(slot);
      if (node == null) {
        return null;
      }
      if (!pipelines.containsKey(node)) {
        pipelines.put(node, connected(cluster, node));
      }
      return pipelines.get(node);
    }

    private static <K, V> @Nullable NodePipeline connected(
        StatefulRedisClusterConnection<K, V> cluster, RedisClusterNode node) {
      if (cluster instanceof CoalescingClusterConnection<?, ?> ordered && ordered.holdsFor(node)) {
        return null;
      }
      try {
        CompletableFuture<StatefulRedisConnection<K, V>> opened =
            cluster.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
        return opened.isDone() && !opened.isCompletedExceptionally()
            ? pipelineOf(opened.join())
            : null;
      } catch (RuntimeException leftTheClusterOrClosed) {
        // Lettuce reports that itself.
        return null;
      }
    }
  }
}
