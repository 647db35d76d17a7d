package dev.sheaf;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client for Redis or Valkey that turns many small requests into few.
 *
 * <p>One instance serves a whole application: it holds one connection to each node, and commands
 * that threads and futures send at the same time share writes and, for GETs, commands. Whether the
 * server is a single one or a cluster is asked of the server, not configured.
 *
 * <p>Thread-safe. Commands of one thread reach a node in the order in which they were called. Like
 * Lettuce's, the connection is shared, so commands that change its state or block it (SELECT,
 * MULTI, BLPOP) concern all users of the instance; give these an instance of their own.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface Sheaf<K, V> extends AutoCloseable {

  /**
   * Connects with UTF-8 strings for keys and values and all defaults. Blocks until connected, at
   * most {@link SheafBuilder#DEFAULT_CONNECT_TIMEOUT} for each address.
   *
   * @param uri where the server is: {@code redis://host:port}, {@code rediss://} for TLS, {@code
   *     redis-sentinel://}, {@code redis-socket://} for a Unix socket; for a cluster any node, or
   *     several with commas between them
   * @throws IllegalArgumentException if the URI cannot be understood; the message says why
   * @throws SheafConnectionException if no connection could be made; the message says why
   */
  static Sheaf<String, String> connect(String uri) {
    return builder(uri).connect();
  }

  /**
   * Begins a client with options of its own.
   *
   * @param uri as for {@link #connect}
   * @throws IllegalArgumentException if the URI cannot be understood; the message says why
   */
  static SheafBuilder<String, String> builder(String uri) {
    return new SheafBuilder<>(ServerUris.parse(uri), StringCodec.UTF8);
  }

  /**
   * Begins a client from URIs that Lettuce has parsed or built.
   *
   * @param uris one server, or some nodes of one cluster; at least one
   * @throws IllegalArgumentException if there is no URI
   */
  static SheafBuilder<String, String> builder(Collection<RedisURI> uris) {
    return new SheafBuilder<>(List.copyOf(uris), StringCodec.UTF8);
  }

  /** Every command, blocking until its reply or the command time-out. */
  RedisClusterCommands<K, V> sync();

  /** Every command, answering with a future. */
  RedisClusterAsyncCommands<K, V> async();

  /** Every command, answering with a publisher. */
  RedisClusterReactiveCommands<K, V> reactive();

  /** Whether the server is a cluster. */
  boolean isCluster();

  /**
   * The Lettuce connection to a server that is no cluster, for transactions, time-outs and
   * listeners.
   *
   * @throws IllegalStateException if the server is a cluster
   */
  StatefulRedisConnection<K, V> standalone();

  /**
   * The Lettuce connection to a cluster, for commands to single nodes, replica reads and topology.
   *
   * @throws IllegalStateException if the server is not a cluster
   */
  StatefulRedisClusterConnection<K, V> cluster();

  /**
   * Reads many keys at once: one round trip, one write to each node concerned, whatever the slots.
   *
   * <p>Blocks until every key has its outcome, at most the command time-out for every {@value
   * SheafBuilder#KEYS_PER_SLICE} keys; a key without an answer by then is a {@link Result.Failure}.
   * The reads are not one atomic step: other clients may write between them.
   *
   * @param keys any number; equal keys are read once
   * @return an outcome for every key, in the order of the keys; unmodifiable. Keys are compared by
   *     {@code equals}, so each array is a key of its own
   * @throws NullPointerException if the collection or a key is null; nothing is read then
   */
  Map<K, Result<V>> getAll(Collection<? extends K> keys);

  /**
   * Reads many keys at once, as {@link #getAll}, without blocking.
   *
   * @param keys at most {@value SheafBuilder#KEYS_PER_SLICE}
   * @return completed with the outcomes, never exceptionally; to cancel it does not recall the
   *     requests
   * @throws NullPointerException if the collection or a key is null; nothing is read then
   * @throws IllegalArgumentException if there are too many keys
   */
  CompletableFuture<Map<K, Result<V>>> getAllAsync(Collection<? extends K> keys);

  /** Begins a batch: commands whose results are read later, sent together. Not thread-safe. */
  Batch<K, V> batch();

  /**
   * Whether Redis can be used right now, cheap enough to ask before every read. The first call
   * opens a connection to each primary, without waiting for it, unless {@link
   * SheafBuilder#availability} had them opened before.
   *
   * @return the same state behind every call
   * @throws SheafException if the client was closed before the first call
   */
  Availability<K> availability();

  /**
   * Reads a key through Redis: the value it holds if it answers within 200 ms, else the loader's,
   * which is then written back. See {@link ReadThrough#get}, and {@link
   * #readThrough(ReadThroughOptions)} for other options.
   */
  @Nullable V readThrough(K key, Duration ttl, Loader<? super K, ? extends V> loader);

  /** Reads many keys through Redis. See {@link ReadThrough#getAll}. */
  Map<K, V> readThroughAll(Collection<? extends K> keys, Duration ttl, BatchLoader<K, V> loader);

  /**
   * A read-through with options of its own; keep it, because its callers share loads and limits.
   *
   * @throws SheafException if the client was closed before its first read-through
   */
  ReadThrough<K, V> readThrough(ReadThroughOptions<V> options);

  /**
   * Closes all connections, in a few seconds at most. Commands without a reply fail, as do later
   * ones. To close twice does nothing.
   */
  @Override
  void close();
}
