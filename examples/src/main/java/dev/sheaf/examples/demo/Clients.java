package dev.sheaf.examples.demo;

import dev.sheaf.LoopLearning;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.RedisClusterURIUtil;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The two clients that are compared, each with a connection of its own and its defaults: plain
 * Lettuce, and Sheaf.
 */
final class Clients implements AutoCloseable {

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  /** Nobody changes the documents: how busy the machine is must not decide what is shown. */
  private static final LoopLearning LEARNING =
      LoopLearning.defaults().withMaxAge(Duration.ofSeconds(30));

  private final String uri;
  private final Sheaf<String, String> sheaf;
  private final Sheaf<String, String> learning;

  /** Handles what comes from outside, as in a web server. */
  private final ExecutorService requests = Executors.newSingleThreadExecutor();

  private final AbstractRedisClient client;
  private final RedisClusterCommands<String, String> lettuce;
  private final RedisClusterAsyncCommands<String, String> lettuceAsync;

  private Clients(
      String uri,
      Sheaf<String, String> sheaf,
      AbstractRedisClient client,
      RedisClusterCommands<String, String> lettuce,
      RedisClusterAsyncCommands<String, String> lettuceAsync) {
    this.uri = uri;
    this.sheaf = sheaf;
    this.learning = Sheaf.builder(uri).learnLoops(LEARNING).connect();
    this.client = client;
    this.lettuce = lettuce;
    this.lettuceAsync = lettuceAsync;
  }

  /**
   * Connects both.
   *
   * @throws DemoException if the server cannot be reached or the URI cannot be understood
   */
  static Clients connect(String uri) {
    Sheaf<String, String> sheaf;
    try {
      sheaf = Sheaf.connect(uri);
    } catch (IllegalArgumentException | SheafException e) {
      throw new DemoException(String.valueOf(e.getMessage()), e);
    }
    try {
      return sheaf.isCluster() ? cluster(sheaf, uri) : standalone(sheaf, uri);
    } catch (RedisException e) {
      sheaf.close();
      throw new DemoException("Plain Lettuce cannot connect: " + e.getMessage(), e);
    }
  }

  private static Clients cluster(Sheaf<String, String> sheaf, String uri) {
    RedisClusterClient client =
        RedisClusterClient.create(RedisClusterURIUtil.toRedisURIs(URI.create(uri)));
    try {
      StatefulRedisClusterConnection<String, String> connection = client.connect();
      return new Clients(uri, sheaf, client, connection.sync(), connection.async());
    } catch (RuntimeException e) {
      shutDown(client);
      throw e;
    }
  }

  private static Clients standalone(Sheaf<String, String> sheaf, String uri) {
    RedisClient client = RedisClient.create(uri);
    try {
      StatefulRedisConnection<String, String> connection = client.connect();
      return new Clients(uri, sheaf, client, connection.sync(), connection.async());
    } catch (RuntimeException e) {
      shutDown(client);
      throw e;
    }
  }

  /** Where both are connected to. */
  String uri() {
    return uri;
  }

  Sheaf<String, String> sheaf() {
    return sheaf;
  }

  /** One that learns loops. */
  Sheaf<String, String> learning() {
    return learning;
  }

  /** Does some work as a server does what a request asks for, on a thread of its own. */
  <T> T asRequest(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, requests).join();
  }

  RedisClusterCommands<String, String> lettuce() {
    return lettuce;
  }

  RedisClusterAsyncCommands<String, String> lettuceAsync() {
    return lettuceAsync;
  }

  @Override
  public void close() {
    requests.shutdown();
    learning.close();
    sheaf.close();
    shutDown(client);
  }

  private static void shutDown(AbstractRedisClient client) {
    client.shutdown(Duration.ZERO, CLOSE_TIMEOUT);
  }
}
