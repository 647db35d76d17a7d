// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.Result;
import dev.sheaf.SheafException;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.keys.MultiGet;
import dev.sheaf.internal.keys.ReadRouter;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.internal.readthrough.ReadThroughMeters.Outcome;
import dev.sheaf.readthrough.Loader;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.codec.RedisCodec;
import io.micrometer.core.instrument.MeterRegistry;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The read-through: it reads Redis, and passes missing keys to {@link Loads}. One key is read as
 * many keys are, and a blocking read runs the steps of the asynchronous one on its own thread.
 * Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public final class DefaultReadThrough<K, V> implements ReadThrough<K, V> {

  private final ReadRouter<K, V> router;
  private final NodeWatch<K> watch;
  private final ReadThroughMeters meters;
  private final Loads<K, V> loads;
  private final long readNanos;
  private final @Nullable V absent;

  /** Runs continuations after a time-out, in place of the JDK's single timer thread. */
  private final Executor threads;

  /**
   * Creates a read-through.
   *
   * @param registry for the meters, which all read-throughs of a client share; null for none
   * @param clientName the client's name in its meters
   */
  public DefaultReadThrough(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      @Nullable CompressionEngine compression,
      NodeWatch<K> watch,
      @Nullable MeterRegistry registry,
      String clientName,
      ReadThroughOptions<V> options) {
    this.router = new ReadRouter<>(server, codec, compression);
    this.watch = watch;
    this.meters = new ReadThroughMeters(registry, clientName);
    this.threads = server.client().getResources().eventExecutorGroup();
    this.readNanos = options.readTimeout().toNanos();
    this.absent = options.absent();
    WriteBacks<K, V> writeBacks = new WriteBacks<>(server.async(), watch, options, meters);
    this.loads = new Loads<>(codec, writeBacks, options, meters);
  }

  @Override
  public @Nullable V get(K key, Duration ttl, Loader<? super K, ? extends V> loader) {
    Objects.requireNonNull(loader, "The loader is null");
    return getAll(single(key), ttl, missing -> asMap(key, loader.load(key))).get(key);
  }

  @Override
  public CompletableFuture<@Nullable V> getAsync(
      K key,
      Duration ttl,
      Function<? super K, ? extends CompletionStage<? extends @Nullable V>> loader) {
    Objects.requireNonNull(loader, "The loader is null");
    CompletionStage<Map<K, V>> found =
        readAsync(
            single(key), ttl, missing -> loader.apply(key).thenApply(value -> asMap(key, value)));
    return ofCaller(found.thenApply(values -> values.get(key)));
  }

  private static <K> Set<K> single(K key) {
    return Set.of(Objects.requireNonNull(key, "The key is null"));
  }

  private static <K, V> Map<K, V> asMap(K key, @Nullable V value) {
    return value == null ? Map.of() : Map.of(key, value);
  }

  @Override
  public Map<K, V> getAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader) {
    Objects.requireNonNull(loader, "The loader is null");
    BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    Loads<K, V>.Call call =
        loads.call(ttl, missing -> called(loader, missing), tasks::add, Thread.currentThread());
    CompletableFuture<Map<K, V>> outcome = read(distinct(keys), call);
    outcome.whenComplete((done, failure) -> tasks.add(() -> {}));
    try {
      while (!outcome.isDone()) {
        tasks.take().run();
      }
      return outcome.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (RuntimeException e) {
      Throwable cause = cause(e);
      if (cause instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) cause;
    }
  }

  /** Runs a blocking loader. */
  private static <K, V> CompletionStage<V> called(Loader<? super K, ? extends V> loader, K keys) {
    try {
      return CompletableFuture.completedFuture(loader.load(keys));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return CompletableFuture.failedFuture(e);
    } catch (Throwable e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public CompletableFuture<Map<K, V>> getAllAsync(
      Collection<? extends K> keys,
      Duration ttl,
      Function<? super Set<K>, ? extends CompletionStage<? extends Map<? extends K, ? extends V>>>
          loader) {
    Objects.requireNonNull(loader, "The loader is null");
    return ofCaller(readAsync(distinct(keys), ttl, loader::apply));
  }

  private static <K> Set<K> distinct(Collection<? extends K> keys) {
    Set<K> distinct = new LinkedHashSet<>();
    keys.forEach(key -> distinct.add(Objects.requireNonNull(key, "A key is null")));
    return distinct;
  }

  private CompletionStage<Map<K, V>> readAsync(
      Set<K> keys, Duration ttl, Loads.Loader<K, V> loader) {
    Loads<K, V>.Call call = loads.call(ttl, loader, Runnable::run, null);
    return CompletableFuture.completedFuture(keys).thenCompose(all -> read(all, call));
  }

  /** A future that belongs to the caller and fails with the unwrapped cause. */
  private static <T extends @Nullable Object> CompletableFuture<T> ofCaller(
      CompletionStage<T> read) {
    CompletableFuture<T> mine = new CompletableFuture<>();
    read.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            mine.complete(value);
          } else {
            mine.completeExceptionally(cause(failure));
          }
        });
    return mine;
  }

  /** The exception for users: unchecked, and without the wrappers of futures. */
  private static Throwable cause(Throwable failure) {
    Throwable cause = Failures.cause(failure);
    return cause instanceof RuntimeException || cause instanceof Error
        ? cause
        : new SheafException("The loader failed: " + cause, cause);
  }

  private CompletableFuture<Map<K, V>> read(Set<K> keys, Loads<K, V>.Call call) {
    List<K> asked = new ArrayList<>(keys.size());
    Map<K, @Nullable V> found = new LinkedHashMap<>();
    Set<K> missing = new LinkedHashSet<>();
    for (K key : keys) {
      // Keeps the position of the key.
      found.put(key, null);
      if (watch.mayUse(key)) {
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
          read.thenCompose(before -> ask(slice, call.leftOf(readNanos)))
              .thenAccept(results -> sort(results, found, missing));
    }
    return read.thenComposeAsync(done -> call.load(missing), call.on())
        .thenApply(
            loaded -> {
              found.putAll(loaded);
              found.values().removeIf(Objects::isNull);
              return Collections.unmodifiableMap(found);
            });
  }

  /** Asks Redis. Each key fails by itself at the time-out; the future does not fail. */
  private CompletableFuture<Map<K, Result<V>>> ask(List<K> keys, long nanos) {
    MultiGet<K, V> gets = MultiGet.send(router, keys);
    // Sends it now, even inside of a batch.
    WriteScope.release();
    CompletableFuture<@Nullable Void> late = new CompletableFuture<>();
    late.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    late.thenRunAsync(() -> gets.expire(Duration.ofNanos(nanos)), threads);
    gets.future().whenComplete((done, failure) -> late.cancel(false));
    return gets.future().thenApply(MultiGet::results);
  }

  private void sort(Map<K, Result<V>> results, Map<K, @Nullable V> found, Set<K> missing) {
    results.forEach(
        (key, result) -> {
          if (!(result instanceof Result.Value<V> read)) {
            missing.add(key);
            meters.count(result.isAbsent() ? Outcome.READ_MISS : Outcome.READ_FAILED);
          } else if (absent != null && Objects.deepEquals(absent, read.value())) {
            meters.count(Outcome.READ_ABSENT);
          } else {
            found.put(key, read.value());
            meters.count(Outcome.READ_HIT);
          }
        });
  }
}
