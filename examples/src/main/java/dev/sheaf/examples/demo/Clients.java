package dev.sheaf.examples.demo;

import dev.sheaf.Sheaf;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/**
 * The clients that are compared, each with connections of its own. When this is closed, or when the
 * JVM ends before, the keys of the demonstration are deleted.
 */
final class Clients implements AutoCloseable {

  private static final int KEYS_PER_DELETE = 10_000;

  final Sheaf<String, String> sheaf;
  final RedisClusterCommands<String, String> lettuce;
  final RedisClusterAsyncCommands<String, String> async;

  private final AbstractRedisClient client;
  private final List<String> stored = new ArrayList<>();
  private final Thread hook = new Thread(this::delete);

  Clients(String uri) {
    sheaf = Sheaf.connect(uri);
    if (sheaf.isCluster()) {
      var cluster = RedisClusterClient.create(RedisClusterURIUtil.toRedisURIs(URI.create(uri)));
      var connection = cluster.connect();
      client = cluster;
      lettuce = connection.sync();
      async = connection.async();
    } else {
      var single = RedisClient.create(uri);
      var connection = single.connect();
      client = single;
      lettuce = connection.sync();
      async = connection.async();
    }
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Has keys deleted in the end; they need a time to live as well. */
  synchronized List<String> willStore(List<String> keys) {
    stored.addAll(keys);
    return keys;
  }

  private synchronized void delete() {
    for (int from = 0; from < stored.size(); from += KEYS_PER_DELETE) {
      sheaf.deleteAll(stored.subList(from, Math.min(from + KEYS_PER_DELETE, stored.size())));
    }
    stored.clear();
  }

  @Override
  public void close() {
    try {
      delete();
      Runtime.getRuntime().removeShutdownHook(hook);
    } finally {
      sheaf.close();
      client.shutdown();
    }
  }
}
