// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.autoconfigure;

import dev.sheaf.Batch;
import dev.sheaf.BulkLane;
import dev.sheaf.LoopReport;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.HealedConnection;
import dev.sheaf.compression.Dictionaries;
import dev.sheaf.readthrough.Loader;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import dev.sheaf.scripts.Scripts;
import dev.sheaf.spring.connection.BatchingConnectionFactory;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.RedisCodec;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A {@link Sheaf} that survives a restart of its connection factory: each call uses the current
 * client. It connects at the first call. Thread-safe.
 */
final class CurrentSheaf<K, V> implements Sheaf<K, V> {

  private final RedisConnectionFactory factory;
  private final RedisCodec<K, V> codec;

  CurrentSheaf(RedisConnectionFactory factory, RedisCodec<K, V> codec) {
    this.factory = factory;
    this.codec = codec;
  }

  private Sheaf<K, V> now() {
    return BatchingConnectionFactory.require(factory).own(codec);
  }

  @Override
  public RedisClusterCommands<K, V> sync() {
    return now().sync();
  }

  @Override
  public RedisClusterAsyncCommands<K, V> async() {
    return now().async();
  }

  @Override
  public RedisClusterReactiveCommands<K, V> reactive() {
    return now().reactive();
  }

  @Override
  public boolean isCluster() {
    return now().isCluster();
  }

  @Override
  public StatefulRedisConnection<K, V> standalone() {
    return now().standalone();
  }

  @Override
  public StatefulRedisClusterConnection<K, V> cluster() {
    return now().cluster();
  }

  @Override
  public BulkLane<K, V> bulk() {
    return now().bulk();
  }

  @Override
  public Map<K, Result<V>> getAll(Collection<? extends K> keys) {
    return now().getAll(keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<V>>> getAllAsync(Collection<? extends K> keys) {
    return now().getAllAsync(keys);
  }

  @Override
  public Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values) {
    return now().setAll(values);
  }

  @Override
  public Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Duration ttl) {
    return now().setAll(values, ttl);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values) {
    return now().setAllAsync(values);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values, Duration ttl) {
    return now().setAllAsync(values, ttl);
  }

  @Override
  public Map<K, Result<Boolean>> deleteAll(Collection<? extends K> keys) {
    return now().deleteAll(keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> deleteAllAsync(Collection<? extends K> keys) {
    return now().deleteAllAsync(keys);
  }

  @Override
  public Map<K, Result<Boolean>> existsAll(Collection<? extends K> keys) {
    return now().existsAll(keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> existsAllAsync(Collection<? extends K> keys) {
    return now().existsAllAsync(keys);
  }

  @Override
  public Map<K, Result<Boolean>> touchAll(Collection<? extends K> keys) {
    return now().touchAll(keys);
  }

  @Override
  public CompletableFuture<Map<K, Result<Boolean>>> touchAllAsync(Collection<? extends K> keys) {
    return now().touchAllAsync(keys);
  }

  @Override
  public Batch<K, V> batch() {
    return now().batch();
  }

  @Override
  public Iterable<K> loop(Collection<? extends K> keys) {
    return now().loop(keys);
  }

  @Override
  public <T> Iterable<T> loop(
      Collection<? extends T> items, Function<? super T, ? extends K> keyOf) {
    return now().loop(items, keyOf);
  }

  @Override
  public <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body) {
    return now().mapEach(items, body);
  }

  @Override
  public List<LoopReport> loops() {
    return now().loops();
  }

  @Override
  public Dictionaries dictionaries() {
    return now().dictionaries();
  }

  @Override
  public List<HealedConnection> healed() {
    return now().healed();
  }

  @Override
  public Scripts<K, V> scripts() {
    return now().scripts();
  }

  @Override
  public Availability<K> availability() {
    return now().availability();
  }

  @Override
  public @Nullable V readThrough(K key, Duration ttl, Loader<? super K, ? extends V> loader) {
    return now().readThrough(key, ttl, loader);
  }

  @Override
  public Map<K, V> readThroughAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader) {
    return now().readThroughAll(keys, ttl, loader);
  }

  @Override
  public ReadThrough<K, V> readThrough(ReadThroughOptions<V> options) {
    return now().readThrough(options);
  }

  /** Does nothing: the connection factory closes the client. */
  @Override
  public void close() {}

  @Override
  public String toString() {
    return "Sheaf of " + factory;
  }
}
