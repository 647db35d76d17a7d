// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.Result;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.readthrough.Loads.Call;
import dev.sheaf.internal.readthrough.ReadThroughMeters.Outcome;
import dev.sheaf.readthrough.Loader;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The read-through: it reads Redis, and passes missing keys to {@link Loads}. A blocking read
 * awaits the asynchronous one on a {@link CallerThread}, except for a GET that hits. Thread-safe.
 */
final class DefaultReadThrough<K, V> implements ReadThrough<K, V> {

  private final CacheAccess<K, V> redis;
  private final ReadThroughMeters meters;
  private final Loads<K, V> loads;
  private final long readNanos;
  private final @Nullable V absent;

  DefaultReadThrough(
      CacheAccess<K, V> redis, ReadThroughOptions<V> options, ReadThroughMeters meters) {
    this.redis = redis;
    this.meters = meters;
    this.readNanos = options.readTimeout().toNanos();
    this.absent = options.absent();
    this.loads = new Loads<>(redis, options, meters);
  }

  // ---- One key

  @Override
  public @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader) {
    requireArguments(key, ttl, loader);
    long askedAt = System.nanoTime();
    V value = read(key);
    if (value != null) {
      return isAbsent(value) ? null : value;
    }
    CallerThread here = new CallerThread();
    return here.await(
        load(
            key,
            new Call<>(ttl, missing -> called(() -> asMap(key, loader.load(key))), askedAt, here)));
  }

  @Override
  public CompletableFuture<@Nullable V> getAsync(
      K key,
      Duration ttl,
      Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
    requireArguments(key, ttl, loader);
    Call<K, V> call =
        new Call<>(
            ttl,
            missing -> loader.apply(key).thenApply(value -> asMap(key, value)),
            System.nanoTime(),
            Runnable::run);
    return ofCaller(
        () ->
            readAsync(key)
                .thenCompose(
                    value ->
                        value == null
                            ? load(key, call)
                            : CompletableFuture.completedFuture(isAbsent(value) ? null : value)));
  }

  private CompletionStage<@Nullable V> load(K key, Call<K, V> call) {
    return loads.load(Set.of(key), call).thenApply(loaded -> loaded.get(key));
  }

  private static <K, V> Map<K, V> asMap(K key, @Nullable V value) {
    return value == null ? Map.of() : Map.of(key, value);
  }

  /** Runs a blocking loader. */
  private static <T> CompletionStage<T> called(Callable<T> loader) {
    try {
      return CompletableFuture.completedFuture(loader.call());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CompletableFuture.failedFuture(e);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * A blocking GET, so that a hit costs no more than without a read-through. Cancelled when late.
   */
  private @Nullable V read(K key) {
    if (!redis.mayUse(key)) {
      meters.count(Outcome.READ_SKIPPED);
      return null;
    }
    V value = null;
    boolean answered = false;
    try {
      RedisFuture<V> reply = redis.get(key);
      try {
        if (Thread.interrupted()) {
          // Future.get would not throw if the reply is there already.
          throw new InterruptedException();
        }
        value = reply.get(readNanos, TimeUnit.NANOSECONDS);
        answered = true;
      } finally {
        reply.cancel(true);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (TimeoutException | ExecutionException | RuntimeException e) {
      // A failure of Redis fails no read.
    }
    count(value, answered);
    return value;
  }

  private CompletableFuture<@Nullable V> readAsync(K key) {
    if (!redis.mayUse(key)) {
      meters.count(Outcome.READ_SKIPPED);
      return CompletableFuture.completedFuture(null);
    }
    return redis
        .get(key, readNanos)
        .handle(
            (value, failure) -> {
              count(value, failure == null);
              return value;
            });
  }

  private void count(@Nullable V value, boolean answered) {
    if (value != null) {
      meters.count(isAbsent(value) ? Outcome.READ_ABSENT : Outcome.READ_HIT);
    } else {
      meters.count(answered ? Outcome.READ_MISS : Outcome.READ_FAILED);
    }
  }

  private boolean isAbsent(V value) {
    return absent != null && Objects.deepEquals(absent, value);
  }

  // ---- Many keys

  @Override
  public Map<K, V> getAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader) {
    requireArguments(keys, ttl, loader);
    if (Thread.currentThread().isInterrupted()) {
      throw new RedisCommandInterruptedException(new InterruptedException());
    }
    CallerThread here = new CallerThread();
    return here.await(
        readAll(
            distinct(keys),
            new Call<>(
                ttl, missing -> called(() -> loader.load(missing)), System.nanoTime(), here)));
  }

  @Override
  public CompletableFuture<Map<K, V>> getAllAsync(
      Collection<? extends K> keys,
      Duration ttl,
      Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
          loader) {
    requireArguments(keys, ttl, loader);
    Set<K> distinct = distinct(keys);
    Call<K, V> call = new Call<>(ttl, loader::apply, System.nanoTime(), Runnable::run);
    return ofCaller(() -> readAll(distinct, call));
  }

  private static <K> Set<K> distinct(Collection<? extends K> keys) {
    Set<K> distinct = new LinkedHashSet<>();
    for (K key : keys) {
      distinct.add(Objects.requireNonNull(key, "A key is null"));
    }
    return distinct;
  }

  private CompletionStage<Map<K, V>> readAll(Set<K> keys, Call<K, V> call) {
    List<K> asked = new ArrayList<>(keys.size());
    Map<K, @Nullable V> found = new LinkedHashMap<>();
    Set<K> missing = new LinkedHashSet<>();
    for (K key : keys) {
      // Keeps the position of the key.
      found.put(key, null);
      if (redis.mayUse(key)) {
        asked.add(key);
      } else {
        missing.add(key);
        meters.count(Outcome.READ_SKIPPED);
      }
    }
    CompletableFuture<?> read = CompletableFuture.completedFuture(null);
    for (int start = 0; start < asked.size(); start += Limits.KEYS_PER_SLICE) {
      List<K> slice = asked.subList(start, Math.min(asked.size(), start + Limits.KEYS_PER_SLICE));
      read =
          read.thenCompose(before -> redis.getAll(slice, leftToRead(call)))
              .thenAccept(results -> sort(results, found, missing));
    }
    return read.thenComposeAsync(done -> loads.load(missing, call), call.on())
        .thenApply(
            loaded -> {
              found.putAll(loaded);
              found.values().removeIf(Objects::isNull);
              return Collections.unmodifiableMap(found);
            });
  }

  private long leftToRead(Call<K, V> call) {
    return Math.max(0, call.askedAt() + readNanos - System.nanoTime());
  }

  private void sort(Map<K, Result<V>> results, Map<K, @Nullable V> found, Set<K> missing) {
    results.forEach(
        (key, result) -> {
          V value = result instanceof Result.Value<V> read ? read.value() : null;
          count(value, result.isAbsent());
          if (value == null) {
            missing.add(key);
          } else if (!isAbsent(value)) {
            found.put(key, value);
          }
        });
  }

  // ---- Both

  private static void requireArguments(Object keys, Duration ttl, Object loader) {
    Objects.requireNonNull(keys, "The key is null");
    Objects.requireNonNull(loader, "The loader is null");
    if (ttl.isNegative() || ttl.isZero()) {
      throw new IllegalArgumentException("The TTL must be positive, but was " + ttl);
    }
  }

  /** A future that belongs to the caller and fails with the unwrapped cause. */
  private static <T> CompletableFuture<T> ofCaller(Supplier<? extends CompletionStage<T>> work) {
    CompletableFuture<T> mine = new CompletableFuture<>();
    try {
      work.get()
          .whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  mine.complete(value);
                } else {
                  mine.completeExceptionally(CallerThread.cause(failure));
                }
              });
    } catch (RuntimeException e) {
      mine.completeExceptionally(e);
    }
    return mine;
  }
}
