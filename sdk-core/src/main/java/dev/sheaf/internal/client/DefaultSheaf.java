// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.client;

import dev.sheaf.Batch;
import dev.sheaf.BulkLane;
import dev.sheaf.LoopReport;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.HealedConnection;
import dev.sheaf.compression.Dictionaries;
import dev.sheaf.internal.availability.NodeWatch;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.compression.CompressionEngine;
import dev.sheaf.internal.connect.ConnectedServer;
import dev.sheaf.internal.heal.Healing;
import dev.sheaf.internal.keys.MultiCommand;
import dev.sheaf.internal.keys.MultiGet;
import dev.sheaf.internal.keys.PageRead;
import dev.sheaf.internal.keys.ReadRouter;
import dev.sheaf.internal.pipeline.ClientContext;
import dev.sheaf.internal.pipeline.WriteScope;
import dev.sheaf.internal.readthrough.ReadThroughs;
import dev.sheaf.internal.scripts.ScriptRegistry;
import dev.sheaf.internal.sync.BlockingCalls;
import dev.sheaf.internal.sync.CallerThread;
import dev.sheaf.internal.sync.EachThreads;
import dev.sheaf.internal.sync.LoopPlaces;
import dev.sheaf.internal.sync.LoopSampler;
import dev.sheaf.internal.sync.Loops;
import dev.sheaf.internal.sync.MapEach;
import dev.sheaf.readthrough.Loader;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import dev.sheaf.scripts.Scripts;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.protocol.CommandType;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The implementation of {@link Sheaf}. */
public final class DefaultSheaf<K, V> implements Sheaf<K, V> {

  /** The time-out of closing each part. */
  static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final ConnectedServer<K, V> server;
  private final RedisCodec<K, V> codec;
  private final Duration commandTimeout;
  private final AtomicInteger blockedCallers;
  private final ThreadLocal<CallerThread> callers = ThreadLocal.withInitial(CallerThread::new);
  private final ReadRouter<K, V> reads;
  private final Loops<K, V> loops;
  private final BlockingCalls<K, V> calls;
  private final MultiCommand<K, V> bulk;
  private final LazyBulkLane<K, V> bulkLane;
  private final @Nullable LoopSampler loopDetector;
  private final LoopPlaces loopPlaces;
  private final RedisClusterCommands<K, V> sync;
  private final EachThreads eachThreads = EachThreads.best();
  private final NodeWatch<K> watch;
  private final ReadThroughs<K, V> readThroughs;
  private final Scripts<K, V> scripts;
  private final @Nullable CompressionEngine compression;
  private final Healing healing;
  private final Runnable closeServer;
  private final Runnable afterClose;
  private final AtomicBoolean closed = new AtomicBoolean();

  DefaultSheaf(
      ConnectedServer<K, V> server,
      RedisCodec<K, V> codec,
      ClientContext context,
      @Nullable MeterRegistry meterRegistry,
      String name,
      @Nullable LoopSampler loopDetector,
      LoopPlaces loopPlaces,
      NodeWatch<K> watch,
      ReadThroughs<K, V> readThroughs,
      Supplier<ConnectedServer<K, V>> connectAgain,
      Runnable closeServer,
      Runnable afterClose) {
    this.server = server;
    this.codec = codec;
    this.commandTimeout = context.commandTimeout();
    this.reads = new ReadRouter<>(server, codec, context.compression());
    this.loops = new Loops<>(reads, context.writes(), loopPlaces, callers);
    this.bulk =
        new MultiCommand<>(
            reads, commandTimeout, context.batching().maxQueuedBytes(), context.blockedCallers());
    this.blockedCallers = context.blockedCallers();
    this.loopDetector = loopDetector;
    this.loopPlaces = loopPlaces;
    this.calls = new BlockingCalls<>(server.connection(), loops, blockedCallers, loopDetector);
    boolean compressed = context.compression() != null;
    this.sync = calls.over(server, codec, compressed);
    this.bulkLane =
        new LazyBulkLane<>(
            connectAgain,
            // A loop over large values is bound by their size, not by its round trips.
            lane ->
                new BlockingCalls<>(lane.connection(), loopsOf(lane, context), blockedCallers, null)
                    .over(lane, codec, compressed));
    this.watch = watch;
    this.readThroughs = readThroughs;
    this.healing = context.healing();
    this.closeServer = closeServer;
    this.afterClose = afterClose;
    this.compression = context.compression();
    this.scripts = new ScriptRegistry<>(server.connection(), codec, context, meterRegistry, name);
  }

  /** Of threads of its own: what a loop has read ahead is of the other lane. */
  private Loops<K, V> loopsOf(ConnectedServer<K, V> lane, ClientContext context) {
    return new Loops<>(
        new ReadRouter<>(lane, codec, context.compression()),
        context.writes(),
        new LoopPlaces(null, null, ""),
        ThreadLocal.withInitial(CallerThread::new));
  }

  /** The watch over the nodes, which others can share. */
  public NodeWatch<K> watch() {
    return watch;
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
  public BulkLane<K, V> bulk() {
    return bulkLane.get();
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
      return readSlice(keys);
    }
    List<K> all = new ArrayList<>(keys);
    for (int i = 0; i < all.size(); i++) {
      int position = i;
      Objects.requireNonNull(all.get(i), () -> "The key at index " + position + " is null");
    }
    Map<K, Result<V>> results = new LinkedHashMap<>();
    for (int start = 0; start < all.size(); start += SheafBuilder.KEYS_PER_SLICE) {
      int end = Math.min(all.size(), start + SheafBuilder.KEYS_PER_SLICE);
      results.putAll(readSlice(all.subList(start, end)));
    }
    return Collections.unmodifiableMap(results);
  }

  private Map<K, Result<V>> readSlice(Collection<? extends K> keys) {
    loops.readElsewhere();
    long deadlineNanos = System.nanoTime() + commandTimeout.toNanos();
    return WriteScope.supply(
        blockedCallers,
        commandTimeout,
        () -> PageRead.read(reads, keys, commandTimeout, deadlineNanos));
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
    return MultiGet.send(reads, keys).future().thenApply(MultiGet::results);
  }

  @Override
  public Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values) {
    return bulk.setAll(values, null);
  }

  @Override
  public Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Duration ttl) {
    return bulk.setAll(values, Objects.requireNonNull(ttl, "ttl"));
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values) {
    return bulk.setAllAsync(values, null);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values, Duration ttl) {
    return bulk.setAllAsync(values, Objects.requireNonNull(ttl, "ttl"));
  }

  @Override
  public Map<K, Result<Boolean>> deleteAll(Collection<? extends K> keys) {
    return bulk.forEach(CommandType.UNLINK, keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> deleteAllAsync(Collection<? extends K> keys) {
    return bulk.forEachAsync(CommandType.UNLINK, keys, "deleteAll");
  }

  @Override
  public Map<K, Result<Boolean>> existsAll(Collection<? extends K> keys) {
    loops.readElsewhere();
    return bulk.forEach(CommandType.EXISTS, keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> existsAllAsync(Collection<? extends K> keys) {
    return bulk.forEachAsync(CommandType.EXISTS, keys, "existsAll");
  }

  @Override
  public Map<K, Result<Boolean>> touchAll(Collection<? extends K> keys) {
    loops.readElsewhere();
    return bulk.forEach(CommandType.TOUCH, keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> touchAllAsync(Collection<? extends K> keys) {
    return bulk.forEachAsync(CommandType.TOUCH, keys, "touchAll");
  }

  @Override
  public Batch<K, V> batch() {
    return new DefaultBatch<>(server.async(), commandTimeout);
  }

  @Override
  public Availability<K> availability() {
    return watch.availability();
  }

  @Override
  public @Nullable V readThrough(K key, Duration ttl, Loader<? super K, ? extends V> loader) {
    loops.readElsewhere();
    return readThroughs.usual().get(key, ttl, loader);
  }

  @Override
  public Map<K, V> readThroughAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader) {
    loops.readElsewhere();
    return readThroughs.usual().getAll(keys, ttl, loader);
  }

  @Override
  public ReadThrough<K, V> readThrough(ReadThroughOptions<V> options) {
    return readThroughs.with(options);
  }

  @Override
  public Iterable<K> loop(Collection<? extends K> keys) {
    return loops.over(keys, Function.identity());
  }

  @Override
  public <T> Iterable<T> loop(
      Collection<? extends T> items, Function<? super T, ? extends K> keyOf) {
    return loops.over(items, keyOf);
  }

  @Override
  public <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body) {
    return MapEach.run(items, body, eachThreads, callers);
  }

  /** Blocking commands of another interface, with the same loop handling as this one's. */
  public <T> T blocking(Class<T> type, T commands, BooleanSupplier waits) {
    return calls.over(type, commands, waits);
  }

  /** Reads one GET as {@link #blocking} does. */
  public @Nullable V blockingGet(K key, Supplier<? extends @Nullable V> send) {
    return calls.get(key, true, send);
  }

  /** Reads one GET with another kind of wait, where loops are learned. */
  public @Nullable V learnedGet(K key, Supplier<? extends @Nullable V> send) {
    return loopPlaces.learns() ? calls.get(key, false, send) : send.get();
  }

  /** Called before the current thread reads what has these ids. */
  public void expect(String source, Collection<?> ids) {
    loops.expect(source, ids);
  }

  /** Records what this client writes. */
  public WriteClock writes() {
    return loops.writes();
  }

  @Override
  public List<LoopReport> loops() {
    List<LoopReport> found = loopDetector == null ? List.of() : loopDetector.reports();
    return loopPlaces.addTo(found);
  }

  @Override
  public Dictionaries dictionaries() {
    if (compression == null) {
      throw new IllegalStateException(
          "This client does not compress; SheafBuilder.compression makes it");
    }
    return compression.dictionaries();
  }

  @Override
  public List<HealedConnection> healed() {
    return healing.latest();
  }

  @Override
  public Scripts<K, V> scripts() {
    return scripts;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      eachThreads.close();
      try {
        watch.close();
        bulkLane.close();
        closeServer.run();
      } finally {
        afterClose.run();
      }
    }
  }
}
