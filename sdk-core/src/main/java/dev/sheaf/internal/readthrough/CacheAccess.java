// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.Result;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.keys.MultiGet;
import dev.sheaf.internal.keys.ReadRouter;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The commands of a read-through. They are sent at once, even inside of a batch. Thread-safe. */
final class CacheAccess<K, V> {

  private final ReadRouter<K, V> reads;
  private final RedisClusterAsyncCommands<K, V> commands;
  private final NodeWatch<K> watch;

  /** Runs continuations after a time-out, in place of the JDK's single timer thread. */
  private final Executor threads;

  CacheAccess(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      @Nullable CompressionEngine compression,
      NodeWatch<K> watch) {
    this.reads = new ReadRouter<>(server, codec, compression);
    this.commands = server.async();
    this.watch = watch;
    this.threads = ClientThreads.of(server.client().getResources());
  }

  /** Whether the node of a key is not known to be unavailable. Never blocks. */
  boolean mayUse(K key) {
    return watch.mayUse(key);
  }

  /** A copy of the encoded key, to compare keys. */
  ByteBuffer encode(K key) {
    ByteBuffer bytes = reads.codec().encodeKey(key);
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  RedisFuture<V> get(K key) {
    return sent(commands.get(key));
  }

  RedisFuture<String> set(K key, V value, long ttlMillis) {
    return sent(commands.set(key, value, SetArgs.Builder.px(ttlMillis)));
  }

  private static <T> RedisFuture<T> sent(RedisFuture<T> reply) {
    WriteScope.release();
    return reply;
  }

  /** A GET that is cancelled at its time-out; fails if it cannot be sent. */
  CompletableFuture<V> get(K key, long timeoutNanos) {
    RedisFuture<V> reply;
    try {
      reply = get(key);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<V> bounded = reply.toCompletableFuture();
    expire(bounded, timeoutNanos, () -> reply.cancel(true));
    return bounded;
  }

  /** A GET of many keys. Each key fails by itself at the time-out; the future does not fail. */
  CompletableFuture<Map<K, Result<V>>> getAll(List<K> keys, long timeoutNanos) {
    MultiGet<K, V> bulk = MultiGet.send(reads, keys);
    WriteScope.release();
    Duration timeout = Duration.ofNanos(timeoutNanos);
    expire(bulk.future(), timeoutNanos, () -> bulk.expire(timeout));
    return bulk.future().thenApply(MultiGet::results);
  }

  private void expire(CompletableFuture<?> outcome, long nanos, Runnable expiry) {
    CompletableFuture<@Nullable Void> over = new CompletableFuture<>();
    over.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    over.thenRunAsync(expiry, threads);
    outcome.whenComplete((done, failure) -> over.cancel(false));
  }
}
