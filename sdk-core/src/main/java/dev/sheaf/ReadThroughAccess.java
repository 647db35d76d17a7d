package dev.sheaf;

import dev.sheaf.availability.Watch;
import dev.sheaf.compression.CompressionEngine;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.engine.Corked;
import dev.sheaf.internal.keys.MultiGet;
import dev.sheaf.internal.keys.ReadRouter;
import dev.sheaf.readthrough.RedisAccess;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.RedisCodec;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The client as read-throughs see it. */
final class ReadThroughAccess<K, V> implements RedisAccess<K, V> {

  private final ReadRouter<K, V> reads;
  private final RedisClusterAsyncCommands<K, V> commands;
  private final Watch<K> watch;

  ReadThroughAccess(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      @Nullable CompressionEngine compression,
      Watch<K> watch) {
    this.reads = new ReadRouter<>(server, codec, compression);
    this.commands = server.async();
    this.watch = watch;
  }

  @Override
  public boolean mayUse(K key) {
    return watch.mayUse(key);
  }

  @Override
  public ByteBuffer encode(K key) {
    return reads.codec().encodeKey(key);
  }

  @Override
  public RedisFuture<V> get(K key) {
    return sent(commands.get(key));
  }

  @Override
  public RedisFuture<Long> remainingMillis(K key) {
    return sent(commands.pttl(key));
  }

  @Override
  public RedisFuture<String> set(K key, V value, long ttlMillis) {
    return sent(commands.set(key, value, SetArgs.Builder.px(ttlMillis)));
  }

  private static <T> RedisFuture<T> sent(RedisFuture<T> reply) {
    Corked.release();
    return reply;
  }

  @Override
  public Map<K, Result<V>> getAll(List<K> keys, long timeoutNanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    MultiGet<K, V> bulk = MultiGet.send(reads, keys);
    Duration timeout = Duration.ofNanos(timeoutNanos);
    try {
      return bulk.awaitInterruptibly(timeout, System.nanoTime() + timeoutNanos).results();
    } catch (InterruptedException e) {
      bulk.expire(timeout);
      throw e;
    }
  }

  @Override
  public boolean schedule(Runnable task, long delayNanos) {
    return watch.schedule(task, delayNanos);
  }
}
