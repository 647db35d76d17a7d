// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.CoalescingClusterConnection;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.pipeline.NodePipeline;
import dev.sheaf.internal.pipeline.NodeWriter;
import io.lettuce.core.RedisException;
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
 * Finds the node connection of a read in Lettuce's own view of the cluster, once for all reads of a
 * node.
 *
 * <p>Lettuce routes each command by itself, which for a hundred small reads costs more than to send
 * and to answer them. What is not plain, it routes nonetheless: reads of replicas, an unknown slot,
 * a node that is not connected, a transaction, listeners of commands.
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

  /** What decompresses values; null if nothing does. */
  @Nullable CompressionEngine compression() {
    return compression;
  }

  /** The routes as they are now, for a few reads of one thread. */
  Routes<K, V> routes() {
    if (cluster == null) {
      return new Routes<>(
          standalone == null || standalone.isMulti() ? null : pipelineOf(standalone), null, null);
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

  /** Where reads go at one moment. Confined to a thread. */
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

    /** Where a read goes; null if Lettuce has to route it. */
    @Nullable NodePipeline of(EncodedCommand<?, ?, ?> read) {
      if (cluster == null || partitions == null) {
        return only;
      }
      RedisClusterNode node = partitions.getPartitionBySlot(read.slot());
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
      } catch (RedisException leftTheCluster) {
        return null;
      }
    }
  }
}
