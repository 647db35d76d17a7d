// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.readthrough.ReadThroughMeters.Outcome;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Single-flight loading: each caller loads the keys that no other caller is loading, and waits for
 * the loads of the others. Thread-safe.
 *
 * <p>A call works in rounds. In each it claims what it can, loads that, and then waits for the
 * other loads, so that two calls with common keys do not wait for each other. Keys that are not
 * loaded in time are claimed again in the next round, and loaded without sharing in the last.
 *
 * <p>A finished load is kept for a moment: a caller that read Redis before the value was written
 * there gets it from here.
 */
final class Loads<K, V> {

  private static final int SHARED_ROUNDS = 2;

  /** Loads missing keys, on the executor of the call. */
  interface Loader<K, V> {
    CompletionStage<? extends Map<? extends K, ? extends V>> load(Set<K> missing);
  }

  /**
   * The request of one caller.
   *
   * @param askedAt when the caller found the keys missing in Redis, or earlier
   * @param on runs the rounds
   */
  record Call<K, V>(Duration ttl, Loader<K, V> loader, long askedAt, Executor on) {}

  private final CacheAccess<K, V> redis;
  private final ReadThroughMeters meters;
  private final WriteBacks<K, V> writeBacks;
  private final ConcurrentMap<ByteBuffer, Load> loads = new ConcurrentHashMap<>();
  private final long maxWaitNanos;

  /** After this time, no read is active that started before. */
  private final long afterAllReadsNanos;

  Loads(CacheAccess<K, V> redis, ReadThroughOptions<V> options, ReadThroughMeters meters) {
    this.redis = redis;
    this.meters = meters;
    this.maxWaitNanos = options.maxLoadWait().toNanos();
    this.afterAllReadsNanos = 2 * options.readTimeout().toNanos();
    this.writeBacks = new WriteBacks<>(redis, options, meters);
  }

  /** Loads keys and returns the existing values. */
  CompletableFuture<Map<K, V>> load(Set<K> keys, Call<K, V> call) {
    return load(keys, call, new LinkedHashMap<>(), 0);
  }

  private CompletableFuture<Map<K, V>> load(
      Set<K> keys, Call<K, V> call, Map<K, V> found, int number) {
    if (keys.isEmpty()) {
      return CompletableFuture.completedFuture(found);
    }
    Round round = new Round(call, found);
    round.begin(keys, number < SHARED_ROUNDS);
    return round
        .own
        .thenCompose(done -> round.others())
        .thenComposeAsync(done -> load(round.collect(), call, found, number + 1), call.on);
  }

  /**
   * Joins a load, or creates one that the caller must end.
   *
   * @return null if too many loads are active
   * @throws IllegalStateException if this thread is loading the key already
   */
  private @Nullable Load claim(ByteBuffer key, Round round) {
    Load mine = new Load(key, round);
    while (true) {
      Load known = loads.get(key);
      if (known == null) {
        if (loads.size() >= ReadThrough.MAX_LOADS) {
          return null;
        }
        if (loads.putIfAbsent(key, mine) == null) {
          return mine;
        }
      } else if (known.serves(round)) {
        return known;
      } else if (loads.replace(key, known, mine)) {
        return mine;
      }
    }
  }

  /** The load of one key. */
  private final class Load {

    private final ByteBuffer key;
    private final Round round;
    private final long begunAt = System.nanoTime();
    private final CompletableFuture<@Nullable V> outcome = new CompletableFuture<>();
    private volatile long endedAt;

    Load(ByteBuffer key, Round round) {
      this.key = key;
      this.round = round;
    }

    /** How long callers may still wait for it; negative if they may not. */
    long remainingNanos() {
      return begunAt + maxWaitNanos - System.nanoTime();
    }

    /** Whether it can be shared: it is not too old, or ended after the other caller asked. */
    boolean serves(Round asking) {
      if (outcome.isDone()) {
        return !outcome.isCompletedExceptionally() && endedAt - asking.call.askedAt >= 0;
      }
      if (remainingNanos() <= 0) {
        return false;
      }
      if (round != asking && round.leader == Thread.currentThread()) {
        throw new IllegalStateException(
            "A loader reads through the key that it loads, and would wait for itself; let it read"
                + " the source of the data");
      }
      return true;
    }

    void succeed(@Nullable V value) {
      endedAt = System.nanoTime();
      outcome.complete(value);
      CompletableFuture.delayedExecutor(afterAllReadsNanos, TimeUnit.NANOSECONDS, Runnable::run)
          .execute(() -> loads.remove(key, this));
    }

    void fail(Throwable failure) {
      loads.remove(key, this);
      outcome.completeExceptionally(failure);
    }
  }

  /** One round of one call. Written by one thread at a time. */
  private final class Round {

    /** Completes with the caller's own load, after its values are in {@link #found}. */
    final CompletableFuture<@Nullable Void> own = new CompletableFuture<>();

    private final Call<K, V> call;
    private final Map<K, V> found;

    /** The thread that is blocked by the caller's own load, or null. */
    private final @Nullable Thread leader;

    private final Map<K, Load> mine = new LinkedHashMap<>();
    private final Map<K, Load> others = new LinkedHashMap<>();

    Round(Call<K, V> call, Map<K, V> found) {
      this.call = call;
      this.found = found;
      this.leader = call.on instanceof CallerThread ? Thread.currentThread() : null;
    }

    /** Claims the keys that no other caller is loading, and starts to load them. */
    void begin(Set<K> keys, boolean shared) {
      Set<K> toLoad = new LinkedHashSet<>();
      try {
        for (K key : keys) {
          if (isToLoad(key, shared)) {
            toLoad.add(key);
          }
        }
        if (toLoad.isEmpty()) {
          own.complete(null);
          return;
        }
        call.loader
            .load(Collections.unmodifiableSet(toLoad))
            .whenComplete((loaded, failure) -> settle(toLoad, loaded, failure));
      } catch (Throwable e) {
        fail(e);
      }
    }

    private boolean isToLoad(K key, boolean shared) {
      Load load = shared ? claim(redis.encode(key), this) : null;
      if (load == null) {
        meters.count(Outcome.LOAD_UNSHARED);
        return true;
      }
      boolean isMine = load.round == this;
      (isMine ? mine : others).put(key, load);
      meters.count(isMine ? Outcome.LOAD_OWN : Outcome.LOAD_SHARED);
      return isMine;
    }

    private void settle(
        Set<K> toLoad,
        @Nullable Map<? extends K, ? extends V> loaded,
        @Nullable Throwable failure) {
      if (failure != null) {
        fail(failure);
        return;
      }
      try {
        put(toLoad, Objects.requireNonNull(loaded, "The loader returned no map"));
        own.complete(null);
      } catch (Throwable e) {
        fail(e);
      }
    }

    private void put(Set<K> toLoad, Map<? extends K, ? extends V> loaded) {
      for (K key : toLoad) {
        V value = loaded.get(key);
        writeBacks.write(key, value, call.ttl);
        Load load = mine.get(key);
        if (load != null) {
          load.succeed(value);
        }
        if (value != null) {
          found.put(key, value);
        }
      }
    }

    /** Ends every load of this round: an open one would block all later readers of the key. */
    private void fail(Throwable failure) {
      Throwable cause = Failures.cause(failure);
      mine.values().forEach(load -> load.fail(cause));
      own.completeExceptionally(cause);
    }

    /** Completes when the other loads have ended or can no longer be waited for; does not fail. */
    CompletableFuture<?> others() {
      CompletableFuture<?> all =
          CompletableFuture.allOf(
                  others.values().stream()
                      .map(load -> load.outcome)
                      .toArray(CompletableFuture[]::new))
              .exceptionally(failure -> null);
      if (all.isDone()) {
        return all;
      }
      long longest = others.values().stream().mapToLong(Load::remainingNanos).max().orElse(0);
      all.completeOnTimeout(null, longest, TimeUnit.NANOSECONDS);
      // Not on the JDK's single timer thread, nor on the loading thread, for which others wait.
      return all.thenRunAsync(() -> {});
    }

    /**
     * Collects the results of the other loads.
     *
     * @return the keys whose loads have not ended
     */
    Set<K> collect() {
      Set<K> left = new LinkedHashSet<>();
      others.forEach(
          (key, load) -> {
            if (!load.outcome.isDone()) {
              left.add(key);
              return;
            }
            V value = load.outcome.join();
            if (value != null) {
              found.put(key, value);
            }
          });
      return left;
    }
  }
}
