// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.QueueFullException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.AvailabilityOptions;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Sheaf as the chaos uses it. */
public final class SheafClient implements BulkClient {

  private final Sheaf<String, String> sheaf;
  private final Duration longest;

  /** Connects, with the guard or without. */
  public SheafClient(String uri, Duration timeout, boolean guarded) {
    var builder = Sheaf.builder(uri).commandTimeout(timeout).loopDetection(false);
    this.sheaf =
        (guarded ? builder.availability(AvailabilityOptions.defaults()) : builder).connect();
    this.longest = timeout.plus(ALLOWANCE);
  }

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

  /** A future that does not end fails with {@link java.util.concurrent.TimeoutException}. */
  @Override
  public Map<String, Result<Long>> incrAll(List<String> keys, boolean batch) throws Exception {
    Map<String, Result<Long>> results = new HashMap<>();
    if (batch) {
      Map<String, Deferred<Long>> counts = new HashMap<>();
      try (Batch<String, String> commands = sheaf.batch()) {
        keys.forEach(key -> counts.put(key, commands.add(redis -> redis.incr(key))));
        commands.execute();
        for (Map.Entry<String, Deferred<Long>> count : counts.entrySet()) {
          results.put(count.getKey(), result(count.getValue()));
        }
      }
      return results;
    }
    Map<String, Future<Long>> counts = new HashMap<>();
    keys.forEach(key -> counts.put(key, sheaf.async().incr(key).toCompletableFuture()));
    long end = System.nanoTime() + longest.toNanos();
    for (Map.Entry<String, Future<Long>> count : counts.entrySet()) {
      results.put(count.getKey(), result(count.getValue(), end - System.nanoTime()));
    }
    return results;
  }

  private static Result<Long> result(Deferred<Long> count) {
    try {
      return new Result.Value<>(count.get());
    } catch (RedisException e) {
      return new Result.Failure<>(e);
    }
  }

  private static Result<Long> result(Future<Long> count, long nanos) throws Exception {
    try {
      return new Result.Value<>(count.get(Math.max(0, nanos), TimeUnit.NANOSECONDS));
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RedisException failure) {
        return new Result.Failure<>(failure);
      }
      throw e;
    }
  }

  @Override
  public Map<String, Result<Boolean>> setAll(Map<String, String> values) {
    return sheaf.setAll(values);
  }

  @Override
  public Map<String, Result<String>> readAll(List<String> keys) {
    return sheaf.getAll(keys);
  }

  @Override
  public boolean didNotRun(Exception failure) {
    return failure instanceof RedisCommandExecutionException
        || failure instanceof QueueFullException;
  }

  @Override
  public void close() {
    sheaf.close();
  }
}
