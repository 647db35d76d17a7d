// SPDX-License-Identifier: Apache-2.0
package io.lettuce.test;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import io.lettuce.core.Delegating;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.test.resource.TestClientResources;
import java.util.ArrayList;
import java.util.List;

/** Creates the clients of Lettuce's tests: batching ones if the system property "batching" is set. */
public final class BatchingClients {

  private static final boolean BATCHING = Boolean.getBoolean("batching");

  /** For clients that are created without a URI; nothing listens there. */
  private static final RedisURI NONE = RedisURI.create("redis://localhost:1");

  private BatchingClients() {}

  private static boolean batches(Object... arguments) {
    for (Object argument : arguments) {
      if (argument == null) {
        return false; // Lettuce reports that itself.
      }
    }
    return BATCHING;
  }

  private static SheafBuilder<String, String> builder(
      ClientResources resources, List<RedisURI> uris) {
    return Sheaf.builder(uris).clientResources(resources);
  }

  private static RedisClient server(ClientResources resources, RedisURI uri) {
    return (RedisClient) builder(resources, List.of(uri)).serverClient().lettuce();
  }

  private static RedisClusterClient nodes(ClientResources resources, Iterable<RedisURI> uris) {
    List<RedisURI> seeds = new ArrayList<>();
    uris.forEach(seeds::add);
    return (RedisClusterClient) builder(resources, seeds).clusterClient().lettuce();
  }

  /** Lettuce's own writer, which a batching client's encloses. */
  public static RedisChannelWriter endpoint(RedisChannelWriter writer) {
    RedisChannelWriter inner = writer;
    while (BATCHING && inner instanceof Delegating<?> outer) {
      inner = (RedisChannelWriter) outer.getDelegate();
    }
    return inner;
  }

  public static RedisClient redis() {
    return batches() ? server(TestClientResources.get(), NONE) : RedisClient.create();
  }

  public static RedisClient redis(RedisURI uri) {
    return batches(uri) ? server(TestClientResources.get(), uri) : RedisClient.create(uri);
  }

  public static RedisClient redis(String uri) {
    return batches(uri)
        ? server(TestClientResources.get(), RedisURI.create(uri))
        : RedisClient.create(uri);
  }

  public static RedisClient redis(ClientResources resources) {
    return batches(resources) ? server(resources, NONE) : RedisClient.create(resources);
  }

  public static RedisClient redis(ClientResources resources, RedisURI uri) {
    return batches(resources, uri) ? server(resources, uri) : RedisClient.create(resources, uri);
  }

  public static RedisClient redis(ClientResources resources, String uri) {
    return batches(resources, uri)
        ? server(resources, RedisURI.create(uri))
        : RedisClient.create(resources, uri);
  }

  public static RedisClusterClient cluster(RedisURI uri) {
    return batches(uri)
        ? nodes(TestClientResources.get(), List.of(uri))
        : RedisClusterClient.create(uri);
  }

  public static RedisClusterClient cluster(String uri) {
    return batches(uri)
        ? nodes(TestClientResources.get(), List.of(RedisURI.create(uri)))
        : RedisClusterClient.create(uri);
  }

  public static RedisClusterClient cluster(Iterable<RedisURI> uris) {
    return batches(uris) ? nodes(TestClientResources.get(), uris) : RedisClusterClient.create(uris);
  }

  public static RedisClusterClient cluster(ClientResources resources, RedisURI uri) {
    return batches(resources, uri)
        ? nodes(resources, List.of(uri))
        : RedisClusterClient.create(resources, uri);
  }

  public static RedisClusterClient cluster(ClientResources resources, String uri) {
    return batches(resources, uri)
        ? nodes(resources, List.of(RedisURI.create(uri)))
        : RedisClusterClient.create(resources, uri);
  }

  public static RedisClusterClient cluster(ClientResources resources, Iterable<RedisURI> uris) {
    return batches(resources, uris)
        ? nodes(resources, uris)
        : RedisClusterClient.create(resources, uris);
  }
}
