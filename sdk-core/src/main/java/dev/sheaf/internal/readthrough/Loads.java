package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.readthrough.ReadThroughMeters.Load;
import dev.sheaf.readthrough.BatchLoader;
import dev.sheaf.readthrough.LoadFailedException;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Loads keys: those that no other caller loads with the caller's loader, the rest by waiting for
 * the others. Thread-safe.
 *
 * <p>A call works in rounds. In each it claims what it can, loads it, and then waits for the other
 * loads, so that two calls with keys in common do not wait for each other. What is not there in
 * time is claimed again in the next round, and in the last loaded without sharing.
 */
final class Loads<K, V> {

  private static final int SHARED_ROUNDS = 2;

  private final CacheAccess<K, V> redis;
  private final ReadThroughMeters meters;
  private final EarlyRefresh early;
  private final LoadTable<V> table;
  private final WriteBacks<K, V> writeBacks;

  Loads(
      CacheAccess<K, V> redis,
      ReadThroughOptions<V> options,
      ReadThroughMeters meters,
      EarlyRefresh early) {
    this.redis = redis;
    this.meters = meters;
    this.early = early;
    long afterAllReads = 2 * options.readTimeout().toNanos();
    this.table =
        new LoadTable<>(
            options.maxLoads(),
            options.maxLoadWait().toNanos(),
            task -> redis.after(task, afterAllReads) != null);
    this.writeBacks = new WriteBacks<>(redis, options, meters);
  }

  boolean isLoading(K key) {
    return table.isLoading(redis.encode(key));
  }

  /**
   * Loads keys and waits.
   *
   * @param askedAt when the caller found them missing in Redis, or before
   * @return the values there are
   */
  Map<K, V> load(Set<K> keys, Duration ttl, BatchLoader<K, V> loader, long askedAt) {
    Map<K, V> found = new LinkedHashMap<>();
    Set<K> left = keys;
    for (int number = 0; !left.isEmpty(); number++) {
      Round round = new Round(ttl, found, Thread.currentThread());
      round.begin(left, askedAt, number < SHARED_ROUNDS, missing -> here(loader, missing));
      await(round);
      left = round.collect();
    }
    return found;
  }

  private void await(Round round) {
    try {
      round.own.get(); // The loader has returned, so this does not wait.
      round.others().get(Math.max(0, round.remainingNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      // The next round takes what is not there.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (ExecutionException e) {
      throw unchecked(e);
    }
  }

  private static <K, V> CompletionStage<Map<? extends K, ? extends V>> here(
      BatchLoader<K, V> loader, Set<K> missing) {
    try {
      return CompletableFuture.completedFuture(loader.loadAll(missing));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CompletableFuture.failedFuture(e);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** As {@link #load}, without waiting. */
  CompletableFuture<Map<K, V>> loadAsync(
      Set<K> keys,
      Duration ttl,
      Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
          loader,
      long askedAt) {
    Map<K, V> found = new LinkedHashMap<>();
    return loadAsync(keys, ttl, loader, askedAt, found, 0).thenApply(done -> found);
  }

  private CompletableFuture<?> loadAsync(
      Set<K> keys,
      Duration ttl,
      Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
          loader,
      long askedAt,
      Map<K, V> found,
      int number) {
    if (keys.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Round round = new Round(ttl, found, null);
    round.begin(keys, askedAt, number < SHARED_ROUNDS, loader);
    return round
        .own
        .thenCompose(
            done -> {
              CompletableFuture<?> others = round.others();
              if (!others.isDone()) {
                Future<?> timer = redis.after(() -> others.complete(null), round.remainingNanos());
                if (timer == null) {
                  others.complete(null);
                }
                CacheAccess.cancelWhenDone(timer, others);
              }
              return others;
            })
        .thenCompose(done -> loadAsync(round.collect(), ttl, loader, askedAt, found, number + 1));
  }

  /** What the loader threw, out of what the future made of it. */
  private static RuntimeException unchecked(Exception wrapped) {
    Throwable failure = wrapped.getCause() == null ? wrapped : wrapped.getCause();
    if (failure instanceof Error error) {
      throw error;
    }
    return failure instanceof RuntimeException unchecked
        ? unchecked
        : new LoadFailedException(failure);
  }

  /** One round of one call. Written by one thread after the other. */
  private final class Round {

    /** Ends with the caller's own load, after its values are in {@link #found}. */
    final CompletableFuture<@Nullable Void> own = new CompletableFuture<>();

    private final Duration ttl;
    private final Map<K, V> found;
    private final @Nullable Thread leader;
    private final Map<K, LoadTable<V>.Load> mine = new LinkedHashMap<>();
    private final Map<K, LoadTable<V>.Load> others = new LinkedHashMap<>();

    Round(Duration ttl, Map<K, V> found, @Nullable Thread leader) {
      this.ttl = ttl;
      this.found = found;
      this.leader = leader;
    }

    /** Claims what no other caller loads, and begins to load it. */
    void begin(
        Set<K> keys,
        long askedAt,
        boolean shared,
        Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
            loader) {
      Set<K> toLoad = new LinkedHashSet<>();
      long begunAt = System.nanoTime();
      try {
        for (K key : keys) {
          if (claim(key, askedAt, shared)) {
            toLoad.add(key);
          }
        }
        if (toLoad.isEmpty()) {
          own.complete(null);
          return;
        }
        loader
            .apply(Collections.unmodifiableSet(toLoad))
            .whenComplete((loaded, failure) -> settle(toLoad, begunAt, loaded, failure));
      } catch (Throwable e) {
        end(e);
      }
    }

    /** Whether the caller is to load the key. */
    private boolean claim(K key, long askedAt, boolean shared) {
      LoadTable<V>.Load load =
          shared ? table.claim(redis.encode(key), this, leader, askedAt) : null;
      if (load == null) {
        meters.load(Load.UNSHARED);
        return true;
      }
      boolean isMine = load.isOf(this);
      (isMine ? mine : others).put(key, load);
      meters.load(isMine ? Load.OWN : Load.SHARED);
      return isMine;
    }

    private void settle(
        Set<K> toLoad,
        long begunAt,
        @Nullable Map<? extends K, ? extends V> loaded,
        @Nullable Throwable failure) {
      Throwable failed = failure;
      try {
        if (failed == null) {
          early.observe(System.nanoTime() - begunAt);
          put(toLoad, Objects.requireNonNull(loaded, "The loader returned no map"));
        }
      } catch (Throwable e) {
        failed = e;
      }
      end(failed);
    }

    private void put(Set<K> toLoad, Map<? extends K, ? extends V> loaded) {
      for (K key : toLoad) {
        V value = loaded.get(key);
        writeBacks.write(key, value, ttl);
        LoadTable<V>.Load load = mine.get(key);
        if (load != null) {
          load.succeed(value);
        }
        if (value != null) {
          found.put(key, value);
        }
      }
    }

    /** Ends every load that this round claimed: one left open would hold up all later readers. */
    private void end(@Nullable Throwable failure) {
      if (failure == null) {
        own.complete(null);
        return;
      }
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      mine.values().forEach(load -> load.fail(cause));
      own.completeExceptionally(cause);
    }

    /** For how long the other loads may be waited for. */
    long remainingNanos() {
      return others.values().stream().mapToLong(LoadTable.Load::remainingNanos).max().orElse(0);
    }

    /** Ends when the other loads have; does not fail. */
    CompletableFuture<@Nullable Void> others() {
      return CompletableFuture.allOf(
              others.values().stream()
                  .map(LoadTable.Load::outcome)
                  .toArray(CompletableFuture[]::new))
          .handle((done, failure) -> null);
    }

    /**
     * Takes what the other loads gave.
     *
     * @return the keys whose loads have not ended
     */
    Set<K> collect() {
      Set<K> left = new LinkedHashSet<>();
      others.forEach(
          (key, load) -> {
            if (!load.outcome().isDone()) {
              left.add(key);
              return;
            }
            V value;
            try {
              value = load.outcome().join();
            } catch (CompletionException e) {
              throw unchecked(e);
            }
            if (value != null) {
              found.put(key, value);
            }
          });
      return left;
    }
  }
}
