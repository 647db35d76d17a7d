// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.topology.ClusterTopologyRefresh;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;
import java.util.function.Predicate;

/**
 * A topology refresh that asks a few random nodes of a large cluster. Lettuce would connect to
 * every known node, and a fleet of clients would do so at the same time.
 *
 * <p>In a cluster with few nodes all are asked, as by Lettuce. If the application wants only seeds
 * to be asked ({@code dynamicRefreshSources(false)}), all of them are. Thread-safe.
 */
final class TopologySources implements ClusterTopologyRefresh {

  private final ClusterTopologyRefresh lettuce;
  private final IntSupplier most;
  private final Predicate<Iterable<RedisURI>> areSeeds;

  /**
   * Wraps Lettuce's own refresh.
   *
   * @param most most nodes to ask, in addition to the seeds
   * @param areSeeds whether sources are the application's seeds
   */
  TopologySources(
      ClusterTopologyRefresh lettuce, IntSupplier most, Predicate<Iterable<RedisURI>> areSeeds) {
    this.lettuce = lettuce;
    this.most = most;
    this.areSeeds = areSeeds;
  }

  @Override
  public CompletionStage<Map<RedisURI, Partitions>> loadViews(
      Iterable<RedisURI> sources, Duration connectTimeout, boolean discovery) {
    if (!discovery) {
      return lettuce.loadViews(sources, connectTimeout, false);
    }
    if (areSeeds.test(sources)) {
      return lettuce
          .loadViews(sources, connectTimeout, false)
          .thenCompose(views -> andOthers(views, connectTimeout));
    }
    List<RedisURI> known = new ArrayList<>();
    sources.forEach(known::add);
    return known.size() <= most.getAsInt()
        ? lettuce.loadViews(known, connectTimeout, true)
        : lettuce.loadViews(some(known), connectTimeout, false);
  }

  /** The answers of nodes that the seeds have named, or of the seeds if no other node answers. */
  private CompletionStage<Map<RedisURI, Partitions>> andOthers(
      Map<RedisURI, Partitions> views, Duration connectTimeout) {
    Set<RedisURI> named = new LinkedHashSet<>();
    views.forEach((seed, nodes) -> nodes.forEach(node -> named.add(as(seed, node))));
    if (views.keySet().containsAll(named)) {
      return CompletableFuture.completedFuture(views);
    }
    // The seeds are asked again, as Lettuce compares the latencies of nodes asked together.
    return lettuce
        .loadViews(some(new ArrayList<>(named)), connectTimeout, false)
        .handle((more, failure) -> failure != null || more.isEmpty() ? views : more);
  }

  /** The address of a node, with a seed's credentials, TLS and time-out. */
  private static RedisURI as(RedisURI seed, RedisClusterNode node) {
    return RedisURI.builder(seed)
        .withHost(node.getUri().getHost())
        .withPort(node.getUri().getPort())
        .build();
  }

  private List<RedisURI> some(List<RedisURI> nodes) {
    Collections.shuffle(nodes, ThreadLocalRandom.current());
    return nodes.subList(0, Math.min(nodes.size(), most.getAsInt()));
  }
}
