// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import dev.sheaf.internal.availability.NodeSource;
import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.pipeline.NodeWriter;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.RedisCodec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The node sources of the availability guard for one server and for a cluster. */
public final class NodeSources {

  private NodeSources() {}

  public static <K, V> NodeSource<K> of(
      ConnectedServer<K, V> server, RedisCodec<K, V> codec, RedisURI uri) {
    StatefulRedisClusterConnection<K, V> cluster = server.cluster();
    return cluster == null
        ? new Single<>(server.standalone(), uri)
        : new Cluster<>((RedisClusterClient) server.client(), cluster, codec, uri);
  }

  private static @Nullable ReplyActivity signs(@Nullable StatefulRedisConnection<?, ?> connection) {
    if (connection instanceof StatefulRedisConnectionImpl<?, ?> known) {
      RedisChannelWriter writer = known.getChannelWriter();
      return writer instanceof NodeWriter coalescing ? coalescing.pipeline().replyActivity() : null;
    }
    return null;
  }

  private static final class Single<K> implements NodeSource<K> {

    private final @Nullable StatefulRedisConnection<?, ?> connection;
    private final Node node;

    Single(@Nullable StatefulRedisConnection<?, ?> connection, RedisURI uri) {
      this.connection = connection;
      this.node = new Node(name(uri), uri, 1);
    }

    private static String name(RedisURI uri) {
      if (uri.getSocket() != null) {
        return uri.getSocket();
      }
      if (uri.getHost() != null) {
        return uri.getHost() + ":" + uri.getPort();
      }
      return "sentinel master " + uri.getSentinelMasterId();
    }

    @Override
    public Collection<Node> nodes() {
      return List.of(node);
    }

    @Override
    public boolean isCluster() {
      return false;
    }

    @Override
    public String nodeOf(K key) {
      return node.name();
    }

    @Override
    public @Nullable ReplyActivity signsOf(Node asked) {
      return signs(connection);
    }

    @Override
    public void refresh() {}
  }

  private static final class Cluster<K, V> implements NodeSource<K> {

    private final RedisClusterClient client;
    private final StatefulRedisClusterConnection<K, V> connection;
    private final RedisCodec<K, V> codec;
    private final RedisURI seed;

    Cluster(
        RedisClusterClient client,
        StatefulRedisClusterConnection<K, V> connection,
        RedisCodec<K, V> codec,
        RedisURI seed) {
      this.client = client;
      this.connection = connection;
      this.codec = codec;
      this.seed = seed;
    }

    @Override
    public Collection<Node> nodes() {
      List<Node> nodes = new ArrayList<>();
      for (RedisClusterNode node : connection.getPartitions()) {
        int slots = node.getSlots().size();
        if (node.getRole().isUpstream() && slots > 0) {
          RedisURI uri =
              RedisURI.builder(seed)
                  .withHost(node.getUri().getHost())
                  .withPort(node.getUri().getPort())
                  .build();
          nodes.add(new Node(name(node), uri, slots));
        }
      }
      return nodes;
    }

    private static String name(RedisClusterNode node) {
      return node.getUri().getHost() + ":" + node.getUri().getPort();
    }

    @Override
    public boolean isCluster() {
      return true;
    }

    @Override
    public @Nullable String nodeOf(K key) {
      RedisClusterNode node =
          connection.getPartitions().getMasterBySlot(SlotHash.getSlot(codec.encodeKey(key)));
      return node == null ? null : name(node);
    }

    @Override
    public @Nullable ReplyActivity signsOf(Node node) {
      CompletableFuture<StatefulRedisConnection<K, V>> opening =
          connection.getConnectionAsync(node.uri().getHost(), node.uri().getPort());
      return opening.isDone() && !opening.isCompletedExceptionally() ? signs(opening.join()) : null;
    }

    @Override
    public void refresh() {
      client.refreshPartitionsAsync().whenComplete((done, failure) -> {});
    }
  }
}
