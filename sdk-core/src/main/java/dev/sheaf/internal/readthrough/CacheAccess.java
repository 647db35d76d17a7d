// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.Result;
import dev.sheaf.internal.availability.NodeWatch;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a read-through. They leave at once, also on a thread that gathers a batch.
 * Thread-safe.
 */
public final class CacheAccess<K, V> {

  private final ReadRouter<K, V> reads;
  private final RedisClusterAsyncCommands<K, V> commands;
  private final NodeWatch<K> watch;

  public CacheAccess(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      @Nullable CompressionEngine compression,
      NodeWatch<K> watch) {
    this.reads = new ReadRouter<>(server, codec, compression);
    this.commands = server.async();
    this.watch = watch;
  }

  /** Whether nothing speaks against the node of a key. Never waits. */
  boolean mayUse(K key) {
    return watch.mayUse(key);
  }

  /** A copy of the bytes of a key, which tell equal keys. */
  ByteBuffer encode(K key) {
    ByteBuffer bytes = reads.codec().encodeKey(key);
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  RedisFuture<V> get(K key) {
    return sent(commands.get(key));
  }

  RedisFuture<Long> remainingMillis(K key) {
    return sent(commands.pttl(key));
  }

  RedisFuture<String> set(K key, V value, long ttlMillis) {
    return sent(commands.set(key, value, SetArgs.Builder.px(ttlMillis)));
  }

  private static <T> RedisFuture<T> sent(RedisFuture<T> reply) {
    WriteScope.release();
    return reply;
  }

  /** GET of many keys, a failure for each that has no answer in time; does not fail itself. */
  CompletableFuture<Map<K, Result<V>>> getAll(List<K> keys, long timeoutNanos) {
    MultiGet<K, V> bulk = MultiGet.send(reads, keys);
    WriteScope.release();
    Duration timeout = Duration.ofNanos(timeoutNanos);
    expire(bulk.future(), timeoutNanos, () -> bulk.expire(timeout));
    return bulk.future().thenApply(MultiGet::results);
  }

  /** Cancels a reply that is not there in time; fails if the command cannot be sent. */
  <T> CompletableFuture<T> within(Supplier<RedisFuture<T>> command, long timeoutNanos) {
    RedisFuture<T> reply;
    try {
      reply = command.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
    CompletableFuture<T> bounded = reply.toCompletableFuture();
    expire(bounded, timeoutNanos, () -> reply.cancel(true));
    return bounded;
  }

  private void expire(CompletableFuture<?> outcome, long nanos, Runnable expiry) {
    CompletableFuture<?> over = pause(nanos);
    over.thenRun(expiry);
    outcome.whenComplete((done, failure) -> over.cancel(false));
  }

  /** Ends when a time is over, or at once if the client is closed. May be cancelled. */
  CompletableFuture<?> pause(long nanos) {
    return watch.pause(nanos);
  }
}
