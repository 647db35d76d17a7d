// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Redis access for caches: used only while the availability guard has no objection, with a limit on
 * each wait, and without exceptions. Thread-safe.
 */
final class GuardedRedis {

  /** The delay after a failed attempt to connect before the next one: 1 second. */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RedisConnectionFactory factory;
  private final Duration timeout;
  private volatile @Nullable Long failedAtNanos;

  /** A Lettuce command. */
  interface Call<T> {
    CompletionStage<T> on(RedisClusterAsyncCommands<byte[], byte[]> redis);
  }

  GuardedRedis(RedisConnectionFactory factory, Duration timeout) {
    this.factory = factory;
    this.timeout = timeout;
  }

  /**
   * Returns the reply, or null if there is none in time, for any reason. A read that is late is
   * cancelled: if it still waits to be sent, nobody needs it any more.
   *
   * @param failed called with a failure that occurs within the limit
   */
  <T> @Nullable T ask(byte[] key, Call<T> call, Consumer<Throwable> failed) {
    CompletableFuture<T> sent = send(key, call);
    T reply = await(sent);
    if (reply == null) {
      tell(sent, failed);
      sent.cancel(true);
    }
    return reply;
  }

  /**
   * Returns the value of a key as {@link #ask} does, or the value that a learned loop has read
   * ahead.
   */
  byte @Nullable [] get(byte[] key, Consumer<Throwable> failed) {
    return BatchingConnectionFactory.require(factory)
        .learnedGet(key, () -> ask(key, redis -> redis.get(key), failed));
  }

  /** Reports a failure that has occurred. */
  private static void tell(CompletableFuture<?> sent, Consumer<Throwable> failed) {
    if (sent.isCompletedExceptionally()) {
      sent.exceptionally(
          failure -> {
            failed.accept(failure);
            return null;
          });
    }
  }

  /** Returns the values that arrive in time. The others are missing, for any reason. */
  Map<byte[], Result<byte[]>> getAll(Collection<byte[]> keys) {
    List<byte[]> all = List.copyOf(keys);
    IdentityHashMap<byte[], Result<byte[]>> results = new IdentityHashMap<>();
    for (int start = 0; start < all.size(); start += SheafBuilder.KEYS_PER_SLICE) {
      List<byte[]> slice =
          all.subList(start, Math.min(all.size(), start + SheafBuilder.KEYS_PER_SLICE));
      Map<byte[], Result<byte[]>> some =
          await(
              withUsable(
                  sheaf -> sheaf.availability().isAvailable(), sheaf -> sheaf.getAllAsync(slice)));
      if (some == null) {
        break; // The others would not arrive in time either.
      }
      some.forEach(results::put);
    }
    return results;
  }

  /**
   * Sends values without waiting for replies. Values that find the queue full are not written.
   *
   * @param ttl null for no expiry
   */
  @SuppressWarnings("ArrayAsKeyOfSetOrMap") // Keys are distinct; nothing is looked up.
  void setAll(Map<byte[], byte[]> values, @Nullable Duration ttl) {
    Duration bounded =
        ttl != null && ttl.compareTo(SheafBuilder.MAX_TTL) > 0 ? SheafBuilder.MAX_TTL : ttl;
    Map<byte[], byte[]> slice = new LinkedHashMap<>();
    for (Map.Entry<byte[], byte[]> entry : values.entrySet()) {
      slice.put(entry.getKey(), entry.getValue());
      if (slice.size() == SheafBuilder.KEYS_PER_SLICE) {
        setSlice(slice, bounded);
        slice = new LinkedHashMap<>();
      }
    }
    if (!slice.isEmpty()) {
      setSlice(slice, bounded);
    }
  }

  private void setSlice(Map<byte[], byte[]> slice, @Nullable Duration ttl) {
    withUsable(
        sheaf -> sheaf.availability().isAvailable(),
        sheaf -> ttl == null ? sheaf.setAllAsync(slice) : sheaf.setAllAsync(slice, ttl));
  }

  /** Returns whether Redis as a whole answers in time. */
  boolean isUsable() {
    Boolean usable =
        await(
            withUsable(
                sheaf -> sheaf.availability().isAvailable(),
                sheaf -> CompletableFuture.completedFuture(true)));
    return usable != null;
  }

  /** Sends a command. Returns a future that also fails if the command was not sent. */
  <T> CompletableFuture<T> send(byte[] key, Call<T> call) {
    return withUsable(
        sheaf -> sheaf.availability().isAvailable(key),
        sheaf -> call.on(sheaf.async()).toCompletableFuture());
  }

  /**
   * Sends a command even if the guard objects, because Lettuce queues it until Redis is back. Waits
   * for the reply only if Redis answers.
   *
   * @param failed called with a failure, now or later
   */
  <T> @Nullable T tell(byte[] key, Call<T> call, Consumer<Throwable> failed) {
    boolean[] answers = new boolean[1];
    CompletableFuture<T> sent =
        withUsable(
            sheaf -> {
              answers[0] = sheaf.availability().isAvailable(key);
              return true;
            },
            sheaf -> call.on(sheaf.async()).toCompletableFuture());
    sent.whenComplete(
        (reply, failure) -> {
          if (failure != null) {
            failed.accept(failure);
          }
        });
    return answers[0] ? await(sent) : null;
  }

  private <T> CompletableFuture<T> withUsable(
      Function<Sheaf<byte[], byte[]>, Boolean> usable,
      Function<Sheaf<byte[], byte[]>, CompletableFuture<T>> use) {
    Long failed = failedAtNanos;
    if (failed != null && System.nanoTime() - failed < RETRY_NANOS) {
      return CompletableFuture.failedFuture(new IllegalStateException("not connected"));
    }
    BatchingConnectionFactory batching = BatchingConnectionFactory.require(factory);
    Sheaf<byte[], byte[]> sheaf;
    try {
      sheaf = batching.sharedWithin(timeout);
      failedAtNanos = null;
    } catch (RuntimeException e) {
      failedAtNanos = System.nanoTime();
      return CompletableFuture.failedFuture(e);
    }
    try {
      return usable.apply(sheaf)
          ? use.apply(sheaf)
          : CompletableFuture.failedFuture(new IllegalStateException("not available"));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private <T> @Nullable T await(CompletableFuture<T> sent) {
    try {
      return sent.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } catch (TimeoutException | ExecutionException | RuntimeException e) {
      return null;
    }
  }
}
