package dev.sheaf;

import dev.sheaf.scripts.ScriptHost;
import dev.sheaf.scripts.Scripts;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.RedisCodec;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The one kind of {@link Sheaf}. */
final class DefaultSheaf<K, V> implements Sheaf<K, V> {

  /** How long closing may take for each part that is closed. */
  static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final ConnectedServer<K, V> server;
  private final RedisCodec<K, V> codec;
  private final Duration commandTimeout;
  private final ThreadLocal<CallerThread> callers = ThreadLocal.withInitial(CallerThread::new);
  private final KeyLoops<K, V> keyLoops;
  private final @Nullable LoopDetector loopDetector;
  private final RedisClusterCommands<K, V> sync;
  private final EachThreads eachThreads = EachThreads.best();
  private final Scripts<K, V> scripts;
  private final Runnable afterClose;
  private final AtomicBoolean closed = new AtomicBoolean();

  DefaultSheaf(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      ClientContext context,
      @Nullable MeterRegistry meterRegistry,
      String name,
      @Nullable LoopDetector loopDetector,
      Runnable afterClose) {
    this.server = server;
    this.codec = codec;
    this.commandTimeout = context.commandTimeout();
    this.keyLoops =
        new KeyLoops<>(server.connection(), codec, commandTimeout, context.writes(), callers);
    this.loopDetector = loopDetector;
    this.sync = BlockingFace.over(server, keyLoops, loopDetector);
    this.afterClose = afterClose;
    this.scripts =
        ScriptHost.scriptsOf(
            new ClientOfScripts<>(server.connection(), codec, context, meterRegistry, name));
  }

  @Override
  public RedisClusterCommands<K, V> sync() {
    return sync;
  }

  @Override
  public RedisClusterAsyncCommands<K, V> async() {
    return server.async();
  }

  @Override
  public RedisClusterReactiveCommands<K, V> reactive() {
    return server.reactive();
  }

  @Override
  public boolean isCluster() {
    return server.cluster() != null;
  }

  @Override
  public StatefulRedisConnection<K, V> standalone() {
    StatefulRedisConnection<K, V> connection = server.standalone();
    if (connection == null) {
      throw new IllegalStateException("The server is a cluster; use cluster()");
    }
    return connection;
  }

  @Override
  public StatefulRedisClusterConnection<K, V> cluster() {
    StatefulRedisClusterConnection<K, V> connection = server.cluster();
    if (connection == null) {
      throw new IllegalStateException("The server is not a cluster; use standalone()");
    }
    return connection;
  }

  @Override
  public Map<K, Result<V>> getAll(Collection<? extends K> keys) {
    if (keys.size() <= SheafBuilder.KEYS_PER_SLICE) {
      return await(BulkGet.sendBlocking(server.connection(), codec, keys, commandTimeout));
    }
    List<K> all = new ArrayList<>(keys);
    for (int i = 0; i < all.size(); i++) {
      int position = i;
      Objects.requireNonNull(all.get(i), () -> "The key at index " + position + " is null");
    }
    Map<K, Result<V>> results = new LinkedHashMap<>();
    for (int start = 0; start < all.size(); start += SheafBuilder.KEYS_PER_SLICE) {
      int end = Math.min(all.size(), start + SheafBuilder.KEYS_PER_SLICE);
      results.putAll(
          await(
              BulkGet.sendBlocking(
                  server.connection(), codec, all.subList(start, end), commandTimeout)));
    }
    return Collections.unmodifiableMap(results);
  }

  private Map<K, Result<V>> await(BulkGet<K, V> bulk) {
    Corked.release();
    try {
      return bulk.future().get(commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      bulk.expire(commandTimeout);
      return bulk.future().join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (ExecutionException e) {
      throw new SheafException("The read failed: " + e.getCause(), e.getCause());
    }
  }

  @Override
  public CompletableFuture<Map<K, Result<V>>> getAllAsync(Collection<? extends K> keys) {
    if (keys.size() > SheafBuilder.KEYS_PER_SLICE) {
      throw new IllegalArgumentException(
          "At most "
              + SheafBuilder.KEYS_PER_SLICE
              + " keys at once without blocking, but there were "
              + keys.size()
              + "; use getAll, or call this for one part after the other");
    }
    return BulkGet.send(server.connection(), codec, keys).future();
  }

  @Override
  public Batch<K, V> batch() {
    return new CommandBatch<>(server.async(), commandTimeout);
  }

  @Override
  public Iterable<K> loop(Collection<? extends K> keys) {
    return keyLoops.over(keys, Function.identity());
  }

  @Override
  public <T> Iterable<T> loop(
      Collection<? extends T> items, Function<? super T, ? extends K> keyOf) {
    return keyLoops.over(items, keyOf);
  }

  @Override
  public <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body) {
    return MapEach.run(items, body, eachThreads, callers);
  }

  /** What this client writes. */
  WriteClock writes() {
    return keyLoops.writes();
  }

  @Override
  public List<LoopReport> loops() {
    return loopDetector == null ? List.of() : loopDetector.reports();
  }

  @Override
  public Scripts<K, V> scripts() {
    return scripts;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      eachThreads.close();
      if (loopDetector != null) {
        loopDetector.close();
      }
      try {
        server.connection().close();
        server.client().shutdown(Duration.ZERO, CLOSE_TIMEOUT);
      } finally {
        afterClose.run();
      }
    }
  }
}
