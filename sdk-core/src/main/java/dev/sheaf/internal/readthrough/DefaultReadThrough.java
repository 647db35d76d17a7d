package dev.sheaf.internal.readthrough;

import dev.sheaf.Result;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.readthrough.ReadThroughMeters.Read;
import dev.sheaf.readthrough.BatchLoader;
import dev.sheaf.readthrough.LoadFailedException;
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
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads Redis, and hands what it does not give to {@link Loads}. Thread-safe. */
final class DefaultReadThrough<K, V> implements ReadThrough<K, V> {

  private final CacheAccess<K, V> redis;
  private final ReadThroughMeters meters;
  private final Loads<K, V> loads;
  private final EarlyRefresh early;
  private final long readNanos;
  private final @Nullable V absent;

  DefaultReadThrough(
      CacheAccess<K, V> redis, ReadThroughOptions<V> options, ReadThroughMeters meters) {
    this.redis = redis;
    this.meters = meters;
    this.readNanos = options.readTimeout().toNanos();
    this.absent = options.absent();
    this.early =
        new EarlyRefresh(options.earlyRefresh(), () -> ThreadLocalRandom.current().nextLong());
    this.loads = new Loads<>(redis, options, meters, early);
  }

  // ---- One key

  @Override
  public @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader) {
    requireArguments(key, ttl, loader);
    long askedAt = System.nanoTime();
    BatchLoader<K, V> batch = missing -> asMap(key, loader.load(key));
    V value = read(key, askedAt);
    if (value == null) {
      return loads.load(Set.of(key), ttl, batch, askedAt).get(key);
    }
    if (isAbsent(value) || !isRefreshDue(key, askedAt)) {
      return isAbsent(value) ? null : value;
    }
    meters.load(ReadThroughMeters.Load.EARLY);
    try {
      return loads.load(Set.of(key), ttl, batch, System.nanoTime()).get(key);
    } catch (RuntimeException e) {
      return value; // It is valid still; a later reader tries again.
    }
  }

  @Override
  public CompletableFuture<@Nullable V> getAsync(
      K key,
      Duration ttl,
      Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
    requireArguments(key, ttl, loader);
    long askedAt = System.nanoTime();
    Function<Set<K>, CompletionStage<? extends Map<? extends K, ? extends V>>> batch =
        missing -> loader.apply(key).thenApply(value -> asMap(key, value));
    return ofCaller(
        () ->
            readAsync(key)
                .thenCompose(
                    value -> {
                      if (value == null) {
                        return loads
                            .loadAsync(Set.of(key), ttl, batch, askedAt)
                            .thenApply(loaded -> loaded.get(key));
                      }
                      return isAbsent(value)
                          ? CompletableFuture.completedFuture(null)
                          : refreshedAsync(key, value, ttl, batch);
                    }));
  }

  private CompletionStage<@Nullable V> refreshedAsync(
      K key,
      V value,
      Duration ttl,
      Function<Set<K>, CompletionStage<? extends Map<? extends K, ? extends V>>> loader) {
    if (!early.isOn()) {
      return CompletableFuture.completedFuture(value);
    }
    return redis
        .within(redis.remainingMillis(key), readNanos)
        .thenCompose(
            remaining -> {
              if (!early.isDue(remaining) || loads.isLoading(key)) {
                return CompletableFuture.completedFuture(value);
              }
              meters.load(ReadThroughMeters.Load.EARLY);
              return loads
                  .loadAsync(Set.of(key), ttl, loader, System.nanoTime())
                  .thenApply(loaded -> loaded.get(key));
            })
        .exceptionally(failure -> value);
  }

  private static <K, V> Map<K, V> asMap(K key, @Nullable V value) {
    return value == null ? Map.of() : Map.of(key, value);
  }

  private @Nullable V read(K key, long askedAt) {
    if (!redis.mayUse(key)) {
      meters.read(Read.SKIPPED);
      return null;
    }
    RedisFuture<V> reply;
    try {
      reply = redis.get(key);
    } catch (RuntimeException e) {
      meters.read(Read.FAILED);
      return null;
    }
    V value = await(reply, askedAt);
    boolean answered = reply.isDone() && !reply.toCompletableFuture().isCompletedExceptionally();
    count(value, answered);
    return value;
  }

  private CompletableFuture<@Nullable V> readAsync(K key) {
    if (!redis.mayUse(key)) {
      meters.read(Read.SKIPPED);
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<V> reply;
    try {
      reply = redis.within(redis.get(key), readNanos);
    } catch (RuntimeException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply.handle(
        (value, failure) -> {
          count(value, failure == null);
          return value;
        });
  }

  private void count(@Nullable V value, boolean answered) {
    meters.read(
        value != null
            ? isAbsent(value) ? Read.ABSENT : Read.HIT
            : answered ? Read.MISS : Read.FAILED);
  }

  /** The reply if it comes in time, else null; a late one is given up, and not sent. */
  private <T> @Nullable T await(RedisFuture<T> reply, long askedAt) {
    try {
      long left = askedAt + readNanos - System.nanoTime();
      if (Thread.interrupted()) {
        // Future.get would not say so if the reply is there already.
        throw new InterruptedException();
      }
      return reply.get(Math.max(0, left), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      reply.cancel(true);
      return null;
    } catch (ExecutionException | CancellationException e) {
      return null;
    } catch (InterruptedException e) {
      reply.cancel(true);
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }

  private boolean isAbsent(V value) {
    return absent != null && Objects.deepEquals(absent, value);
  }

  private boolean isRefreshDue(K key, long askedAt) {
    if (!early.isOn()) {
      return false;
    }
    try {
      Long remaining = await(redis.remainingMillis(key), askedAt);
      return remaining != null && early.isDue(remaining) && !loads.isLoading(key);
    } catch (RedisCommandInterruptedException e) {
      throw e;
    } catch (RuntimeException e) {
      return false;
    }
  }

  // ---- Many keys

  @Override
  public Map<K, V> getAll(Collection<? extends K> keys, Duration ttl, BatchLoader<K, V> loader) {
    Set<K> distinct = distinct(keys, ttl, loader);
    long askedAt = System.nanoTime();
    Map<K, V> found = new LinkedHashMap<>();
    Set<K> missing = new LinkedHashSet<>();
    for (List<K> slice : slices(distinct, missing)) {
      try {
        judge(redis.getAll(slice, leftToRead(askedAt)), found, missing);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RedisCommandInterruptedException(e);
      }
    }
    found.putAll(loads.load(missing, ttl, loader, askedAt));
    return inOrder(distinct, found);
  }

  @Override
  public CompletableFuture<Map<K, V>> getAllAsync(
      Collection<? extends K> keys,
      Duration ttl,
      Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
          loader) {
    Set<K> distinct = distinct(keys, ttl, loader);
    long askedAt = System.nanoTime();
    Map<K, V> found = new LinkedHashMap<>();
    Set<K> missing = new LinkedHashSet<>();
    return ofCaller(
        () -> {
          CompletableFuture<?> read = CompletableFuture.completedFuture(null);
          for (List<K> slice : slices(distinct, missing)) {
            read =
                read.thenCompose(before -> redis.getAllAsync(slice, leftToRead(askedAt)))
                    .thenAccept(results -> judge(results, found, missing));
          }
          return read.thenCompose(done -> loads.loadAsync(missing, ttl, loader, askedAt))
              .thenApply(
                  loaded -> {
                    found.putAll(loaded);
                    return inOrder(distinct, found);
                  });
        });
  }

  private static <K> Set<K> distinct(Collection<? extends K> keys, Duration ttl, Object loader) {
    requireArguments(keys, ttl, loader);
    Set<K> distinct = new LinkedHashSet<>();
    for (K key : keys) {
      distinct.add(Objects.requireNonNull(key, "A key is null"));
    }
    return distinct;
  }

  private long leftToRead(long askedAt) {
    return Math.max(0, askedAt + readNanos - System.nanoTime());
  }

  /** The keys to ask Redis for, in parts; those of nodes that are down go to the missing ones. */
  private List<List<K>> slices(Set<K> keys, Set<K> missing) {
    List<K> asked = new ArrayList<>(keys.size());
    for (K key : keys) {
      if (redis.mayUse(key)) {
        asked.add(key);
      } else {
        missing.add(key);
        meters.read(Read.SKIPPED);
      }
    }
    List<List<K>> slices = new ArrayList<>();
    for (int start = 0; start < asked.size(); start += Limits.KEYS_PER_SLICE) {
      int end = Math.min(asked.size(), start + Limits.KEYS_PER_SLICE);
      slices.add(asked.subList(start, end));
    }
    return slices;
  }

  private void judge(Map<K, Result<V>> results, Map<K, V> found, Set<K> missing) {
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

  private static <K, V> Map<K, V> inOrder(Set<K> keys, Map<K, V> found) {
    Map<K, V> ordered = new LinkedHashMap<>();
    for (K key : keys) {
      V value = found.get(key);
      if (value != null) {
        ordered.put(key, value);
      }
    }
    return Collections.unmodifiableMap(ordered);
  }

  // ---- Both

  private static void requireArguments(Object keys, Duration ttl, Object loader) {
    Objects.requireNonNull(keys, "The key is null");
    Objects.requireNonNull(loader, "The loader is null");
    if (ttl.isNegative() || ttl.isZero()) {
      throw new IllegalArgumentException("The TTL must be positive, but was " + ttl);
    }
  }

  /** A future of the caller's own, which fails with the cause as it is. */
  private static <T> CompletableFuture<T> ofCaller(Supplier<? extends CompletionStage<T>> work) {
    CompletableFuture<T> mine = new CompletableFuture<>();
    try {
      work.get()
          .whenComplete(
              (value, failure) -> {
                if (failure == null) {
                  mine.complete(value);
                } else {
                  mine.completeExceptionally(cause(failure));
                }
              });
    } catch (RuntimeException e) {
      mine.completeExceptionally(e);
    }
    return mine;
  }

  private static Throwable cause(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return cause instanceof RuntimeException || cause instanceof Error
        ? cause
        : new LoadFailedException(cause);
  }
}
