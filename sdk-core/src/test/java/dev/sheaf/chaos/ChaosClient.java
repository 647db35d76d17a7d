package dev.sheaf.chaos;

import dev.sheaf.QueueFullException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A client as the chaos uses it. Thread-safe. */
public interface ChaosClient extends AutoCloseable {

  long incr(String key) throws Exception;

  void set(String key, String value) throws Exception;

  String get(String key) throws Exception;

  /**
   * The values of keys in their order, of which some may be missing; null for those that failed.
   */
  List<String> getAll(List<String> keys) throws Exception;

  /**
   * Whether an error says for certain that the command did not run. A checker holds a write that
   * failed otherwise for one that may have run.
   */
  default boolean didNotRun(Exception failure) {
    return failure instanceof RedisCommandExecutionException
        || failure instanceof QueueFullException;
  }

  @Override
  void close();

  /** Sheaf with the guard, or without. */
  static ChaosClient sheaf(String uri, Duration timeout, boolean guarded) {
    var builder = Sheaf.builder(uri).commandTimeout(timeout).loopDetection(false);
    return sheaf(
        (guarded ? builder.availability(AvailabilityOptions.defaults()) : builder).connect());
  }

  private static ChaosClient sheaf(Sheaf<String, String> sheaf) {
    return new ChaosClient() {
      @Override
      public long incr(String key) {
        return sheaf.sync().incr(key);
      }

      @Override
      public void set(String key, String value) {
        sheaf.sync().set(key, value);
      }

      @Override
      public String get(String key) {
        return sheaf.sync().get(key);
      }

      @Override
      public List<String> getAll(List<String> keys) {
        var results = sheaf.getAll(keys);
        List<String> values = new ArrayList<>();
        for (String key : keys) {
          values.add(results.get(key) instanceof Result.Value<String> value ? value.value() : null);
        }
        return values;
      }

      @Override
      public void close() {
        sheaf.close();
      }
    };
  }

  /** Plain Lettuce, as its guide has it. */
  static ChaosClient lettuce(String uri, Duration timeout, boolean cluster) {
    RedisURI address = RedisURI.create(uri);
    address.setTimeout(timeout);
    AbstractRedisClient client;
    RedisClusterCommands<String, String> sync;
    RedisClusterAsyncCommands<String, String> async;
    if (cluster) {
      RedisClusterClient clusterClient = RedisClusterClient.create(address);
      client = clusterClient;
      var connection = clusterClient.connect();
      sync = connection.sync();
      async = connection.async();
    } else {
      RedisClient single = RedisClient.create(address);
      client = single;
      var connection = single.connect();
      sync = connection.sync();
      async = connection.async();
    }
    return new ChaosClient() {
      @Override
      public long incr(String key) {
        return sync.incr(key);
      }

      @Override
      public void set(String key, String value) {
        sync.set(key, value);
      }

      @Override
      public String get(String key) {
        return sync.get(key);
      }

      @Override
      public List<String> getAll(List<String> keys) throws InterruptedException {
        List<Future<String>> futures = new ArrayList<>();
        keys.forEach(key -> futures.add(async.get(key)));
        List<String> values = new ArrayList<>();
        long end = System.nanoTime() + timeout.toNanos();
        for (Future<String> future : futures) {
          try {
            values.add(future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS));
          } catch (ExecutionException | java.util.concurrent.TimeoutException e) {
            values.add(null);
          }
        }
        return values;
      }

      @Override
      public void close() {
        client.shutdown();
      }
    };
  }
}
