package dev.sheaf.chaos;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A client as the chaos uses it. Thread-safe. */
interface ChaosClient extends AutoCloseable {

  long incr(String key) throws Exception;

  void set(String key, String value) throws Exception;

  String get(String key) throws Exception;

  /**
   * The values of keys in their order, of which some may be missing; null for those that failed.
   */
  List<String> getAll(List<String> keys) throws Exception;

  @Override
  void close();

  static ChaosClient sheaf(Sheaf<String, String> sheaf) {
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
  static ChaosClient lettuce(String uri, Duration timeout) {
    RedisURI address = RedisURI.create(uri);
    address.setTimeout(timeout);
    RedisClusterClient client = RedisClusterClient.create(address);
    StatefulRedisClusterConnection<String, String> connection = client.connect();
    return new ChaosClient() {
      @Override
      public long incr(String key) {
        return connection.sync().incr(key);
      }

      @Override
      public void set(String key, String value) {
        connection.sync().set(key, value);
      }

      @Override
      public String get(String key) {
        return connection.sync().get(key);
      }

      @Override
      public List<String> getAll(List<String> keys) throws InterruptedException {
        List<Future<String>> futures = new ArrayList<>();
        keys.forEach(key -> futures.add(connection.async().get(key)));
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
        connection.close();
        client.shutdown();
      }
    };
  }
}
