// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.readthrough.ReadThroughMeters.Outcome;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.lettuce.core.codec.RedisCodec;
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
import java.util.function.Function;
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

  private final RedisCodec<K, V> codec;
  private final WriteBacks<K, V> writeBacks;
  private final ReadThroughMeters meters;
  private final ConcurrentMap<ByteBuffer, Load> loads = new ConcurrentHashMap<>();
  private final long maxWaitNanos;

  /** After this time, no read is active that started before. */
  private final long afterAllReadsNanos;

  Loads(
      RedisCodec<K, V> codec,
      WriteBacks<K, V> writeBacks,
      ReadThroughOptions<V> options,
      ReadThroughMeters meters) {
    this.codec = codec;
    this.writeBacks = writeBacks;
    this.meters = meters;
    this.maxWaitNanos = options.maxLoadWait().toNanos();
    this.afterAllReadsNanos = 2 * options.readTimeout().toNanos();
  }

  /**
   * Begins a call, before it reads Redis.
   *
   * @param on runs the rounds
   * @param leader the thread that is blocked by the loader, or null
   */
  Call call(Duration ttl, Loader<K, V> loader, Executor on, @Nullable Thread leader) {
    if (ttl.isNegative() || ttl.isZero()) {
      throw new IllegalArgumentException("The TTL must be positive, but was " + ttl);
    }
    return new Call(ttl, loader, on, leader);
  }

  /** The load of one key. */
  private final class Load {

    private final ByteBuffer key;
    private final Call call;
    private final long begunAt = System.nanoTime();
    private final CompletableFuture<@Nullable V> outcome = new CompletableFuture<>();
    private volatile long endedAt;

    Load(ByteBuffer key, Call call) {
      this.key = key;
      this.call = call;
    }

    /** How long callers may still wait for it; negative if they may not. */
    long remainingNanos() {
      return begunAt + maxWaitNanos - System.nanoTime();
    }

    /**
     * Whether it can be shared: it is not too old, or ended after the other caller asked.
     *
     * @throws IllegalStateException if the other caller is this load's own loader
     */
    boolean serves(Call asking) {
      if (outcome.isDone()) {
        return !outcome.isCompletedExceptionally() && endedAt - asking.askedAt >= 0;
      }
      if (remainingNanos() <= 0) {
        return false;
      }
      if (call != asking && call.leader == Thread.currentThread()) {
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

  /** The call of one caller. Used by one thread at a time. */
  final class Call {

    private final Duration ttl;
    private final Loader<K, V> loader;
    private final Executor on;
    private final @Nullable Thread leader;
    private final long askedAt = System.nanoTime();
    private final Map<K, V> found = new LinkedHashMap<>();

    private Call(Duration ttl, Loader<K, V> loader, Executor on, @Nullable Thread leader) {
      this.ttl = ttl;
      this.loader = loader;
      this.on = on;
      this.leader = leader;
    }

    Executor on() {
      return on;
    }

    /** What is left of a time since the call began; at least 0. */
    long leftOf(long nanos) {
      return Math.max(0, askedAt + nanos - System.nanoTime());
    }

    /** Loads keys and returns the existing values. */
    CompletableFuture<Map<K, V>> load(Set<K> keys) {
      return load(keys, 0);
    }

    private CompletableFuture<Map<K, V>> load(Set<K> keys, int round) {
      if (keys.isEmpty()) {
        return CompletableFuture.completedFuture(found);
      }
      Map<K, Load> own = new LinkedHashMap<>();
      Map<K, Load> others = new LinkedHashMap<>();
      return CompletableFuture.completedFuture(keys)
          .<Map<? extends K, ? extends V>>thenCompose(
              all -> {
                for (K key : all) {
                  Load load = claim(key, round < SHARED_ROUNDS);
                  (load.call == this ? own : others).put(key, load);
                }
                return own.isEmpty()
                    ? CompletableFuture.completedFuture(Map.of())
                    : loader
                        .load(Collections.unmodifiableSet(own.keySet()))
                        .thenApply(Function.identity());
              })
          .thenAccept(loaded -> succeed(own, loaded))
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  // An open load would block all later readers of the key.
                  own.values().forEach(load -> load.fail(Failures.cause(failure)));
                }
              })
          .thenCompose(done -> ended(others))
          .thenComposeAsync(done -> load(collect(others), round + 1), on);
    }

    /** Joins a load, or creates one that this call must end, in the table if it is to be shared. */
    private Load claim(K key, boolean shared) {
      ByteBuffer encoded = codec.encodeKey(key);
      // A copy, since the codec may use its buffer again.
      encoded = ByteBuffer.allocate(encoded.remaining()).put(encoded.duplicate()).flip();
      Load mine = new Load(encoded, this);
      while (shared) {
        Load known = loads.get(encoded);
        if (known == null && loads.size() >= ReadThrough.MAX_LOADS) {
          break;
        }
        if (known != null && known.serves(this)) {
          meters.count(known.call == this ? Outcome.LOAD_OWN : Outcome.LOAD_SHARED);
          return known;
        }
        if (known == null
            ? loads.putIfAbsent(encoded, mine) == null
            : loads.replace(encoded, known, mine)) {
          meters.count(Outcome.LOAD_OWN);
          return mine;
        }
      }
      meters.count(Outcome.LOAD_UNSHARED);
      return mine;
    }

    private void succeed(Map<K, Load> own, @Nullable Map<? extends K, ? extends V> loaded) {
      Objects.requireNonNull(loaded, "The loader returned no map");
      own.forEach(
          (key, load) -> {
            V value = loaded.get(key);
            writeBacks.write(key, value, ttl);
            load.succeed(value);
            if (value != null) {
              found.put(key, value);
            }
          });
    }

    /** Completes when the loads have ended or can no longer be waited for; does not fail. */
    private CompletableFuture<?> ended(Map<K, Load> others) {
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

    /** Takes the results of the loads that have ended, and returns the keys of the others. */
    private Set<K> collect(Map<K, Load> others) {
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
