// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.availability.Availability;
import dev.sheaf.availability.HealedConnection;
import dev.sheaf.compression.Dictionaries;
import dev.sheaf.readthrough.Loader;
import dev.sheaf.readthrough.ReadThrough;
import dev.sheaf.readthrough.ReadThroughOptions;
import dev.sheaf.scripts.Scripts;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A client for Redis or Valkey that turns many small requests into few.
 *
 * <p>One instance serves a whole application. It has one connection to each node. Commands that
 * threads and futures send at the same time share writes; GETs and HGETs are also fused to MGETs
 * and HMGETs. The server tells whether it is standalone or a cluster; this is not configured.
 *
 * <p>Thread-safe. Commands of one thread reach a node in the order of the calls. As with Lettuce,
 * the connection is shared, so commands that change its state or block it (SELECT, MULTI, BLPOP)
 * affect all users of the instance. Use a separate instance for these.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface Sheaf<K, V> extends AutoCloseable {

  /**
   * Connects with UTF-8 strings for keys and values and all defaults. Blocks until connected, at
   * most {@link SheafBuilder#DEFAULT_CONNECT_TIMEOUT} for each address.
   *
   * @param uri the address of the server: {@code redis://host:port}, {@code rediss://} for TLS,
   *     {@code redis-sentinel://}, {@code redis-socket://} for a Unix socket; for a cluster any
   *     node, or several separated by commas
   * @throws IllegalArgumentException if the URI is malformed; the message says why
   * @throws io.lettuce.core.RedisConnectionException if no connection could be opened; the message
   *     says why
   */
  @CheckReturnValue
  static Sheaf<String, String> connect(String uri) {
    return builder(uri).connect();
  }

  /**
   * Creates a builder for a client with other options.
   *
   * @param uri as for {@link #connect}
   * @throws IllegalArgumentException if the URI is malformed; the message says why
   */
  @CheckReturnValue
  static SheafBuilder<String, String> builder(String uri) {
    return SheafBuilder.of(uri);
  }

  /**
   * Creates a builder from Lettuce's URIs.
   *
   * @param uris one server, or some nodes of one cluster; at least one
   * @throws IllegalArgumentException if there is no URI
   */
  @CheckReturnValue
  static SheafBuilder<String, String> builder(Collection<RedisURI> uris) {
    return SheafBuilder.of(List.copyOf(uris));
  }

  /**
   * All commands, blocking until the reply or the command time-out.
   *
   * <p>{@link #loop}, {@link #batch} and {@link #loops} work with calls of this object, and not
   * with the commands of {@link #standalone} and {@link #cluster}.
   */
  RedisClusterCommands<K, V> sync();

  /** All commands, returning futures. */
  RedisClusterAsyncCommands<K, V> async();

  /** All commands, returning publishers. */
  RedisClusterReactiveCommands<K, V> reactive();

  /** Whether the server is a cluster. */
  boolean isCluster();

  /**
   * The Lettuce connection to a standalone server, for transactions, time-outs and listeners.
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
   * A second connection to each node, for large requests and replies. A value of a megabyte delays
   * all smaller ones behind it on the same connection.
   *
   * <p>The first call connects, and blocks until connected. Later calls return the same object. It
   * is closed with this client. See {@link BulkLane} for the order of commands.
   *
   * @throws io.lettuce.core.RedisConnectionException if no connection could be opened; the message
   *     says why
   */
  BulkLane<K, V> bulk();

  /**
   * Reads many keys at once, in one round trip, with one write to each node and for any slots.
   *
   * <p>Blocks until every key has an outcome, at most the command time-out for every {@value
   * SheafBuilder#KEYS_PER_SLICE} keys. A key without a reply by then is a {@link Result.Failure}.
   * The reads are not atomic: other clients may write in between.
   *
   * @param keys any number; equal keys are read once
   * @return an outcome for every key, in the order of the keys; unmodifiable. Keys are compared
   *     with {@code equals}, so each array is a different key
   * @throws NullPointerException if the collection or a key is null; nothing is read then
   */
  @CheckReturnValue
  Map<K, Result<V>> getAll(Collection<? extends K> keys);

  /**
   * Reads many keys at once, as {@link #getAll}, without blocking.
   *
   * @param keys at most {@value SheafBuilder#KEYS_PER_SLICE}
   * @return completes with the outcomes, never exceptionally; cancelling it does not cancel the
   *     requests
   * @throws NullPointerException if the collection or a key is null; nothing is read then
   * @throws IllegalArgumentException if there are too many keys
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<V>>> getAllAsync(Collection<? extends K> keys);

  /**
   * Writes many keys at once: one SET for each, with one write to each node and for any slots. Like
   * SET, it removes a key's time to live.
   *
   * <p>Each key has its own outcome: {@code Value(true)} if it was written, or a {@link
   * Result.Failure}. The writes are not atomic, and nothing is rolled back. If a key timed out, or
   * its outcome is unknown ({@link OutcomeUnknownException}), its value may have been written, or
   * may still be. Check the failures: no exception is thrown for them.
   *
   * <p>Blocks until every key has an outcome, at most the command time-out for every {@value
   * SheafBuilder#KEYS_PER_SLICE} keys, and as long again for room in the queues. At most {@value
   * SheafBuilder#BYTES_PER_SLICE} bytes of requests are collected before they are sent.
   *
   * @param values any number; written in the iteration order of the map. Keys are compared with
   *     {@code equals}, so each array is a different key; arrays of equal content are written in
   *     that order
   * @return an outcome for every key, in the order of the map; unmodifiable
   * @throws NullPointerException if the map, a key or a value is null; nothing is written then
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread was interrupted; it
   *     stays interrupted, and any of the keys may have been written
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values);

  /**
   * Writes many keys at once with a time to live, as {@link #setAll(Map)}: one {@code SET key value
   * PX ttl} for each, so that no key is ever without its time to live.
   *
   * @param ttl the time to live from the server's write, truncated to milliseconds; from {@link
   *     SheafBuilder#MIN_TTL} to {@link SheafBuilder#MAX_TTL}
   * @throws NullPointerException as {@link #setAll(Map)}, or if the time to live is null
   * @throws IllegalArgumentException if the time to live is out of bounds; nothing is written then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Duration ttl);

  /**
   * Writes many keys at once, as {@link #setAll(Map)}, without blocking. Keys that find no room in
   * the queue of their node fail with {@link QueueFullException}.
   *
   * @param values at most {@value SheafBuilder#KEYS_PER_SLICE}
   * @return completes with the outcomes, never exceptionally; cancelling it does not cancel the
   *     requests
   * @throws NullPointerException if the map, a key or a value is null; nothing is written then
   * @throws IllegalArgumentException if there are too many keys
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(Map<? extends K, ? extends V> values);

  /**
   * Writes many keys at once with a time to live, as {@link #setAll(Map, Duration)}, without
   * blocking, as {@link #setAllAsync(Map)}.
   *
   * @throws NullPointerException if the map, a key, a value or the time to live is null
   * @throws IllegalArgumentException if there are too many keys, or the time to live is out of
   *     bounds; nothing is written then
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values, Duration ttl);

  /**
   * Deletes many keys at once: one UNLINK for each, with one write to each node and for any slots.
   * The server frees the memory of large values in the background.
   *
   * <p>Outcomes, blocking, atomicity and exceptions are as with {@link #setAll(Map)}.
   *
   * @param keys any number, of any type of value; equal keys are deleted once
   * @return for every key, in the order of the keys: {@code Value(true)} if it was deleted, {@link
   *     Result.Absent} if it did not exist, or its failure; unmodifiable
   * @throws NullPointerException if the collection or a key is null; nothing is deleted then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> deleteAll(Collection<? extends K> keys);

  /**
   * Deletes many keys at once, as {@link #deleteAll}, without blocking, as {@link
   * #setAllAsync(Map)}.
   *
   * @throws NullPointerException if the collection or a key is null; nothing is deleted then
   * @throws IllegalArgumentException if there are too many keys
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> deleteAllAsync(Collection<? extends K> keys);

  /**
   * Checks the existence of many keys at once: one EXISTS for each, with one write to each node and
   * for any slots. Does not transfer the values.
   *
   * <p>Blocking and exceptions are as with {@link #getAll}.
   *
   * @param keys any number, of any type of value; equal keys are checked once
   * @return for every key, in the order of the keys: {@code Value(true)} if it exists, {@link
   *     Result.Absent} if it does not, or its failure; unmodifiable
   * @throws NullPointerException if the collection or a key is null; nothing is asked then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> existsAll(Collection<? extends K> keys);

  /**
   * Checks the existence of many keys at once, as {@link #existsAll}, without blocking, as {@link
   * #getAllAsync}.
   *
   * @throws NullPointerException if the collection or a key is null; nothing is asked then
   * @throws IllegalArgumentException if there are too many keys
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> existsAllAsync(Collection<? extends K> keys);

  /**
   * Marks many keys as recently used, for the server's eviction: one TOUCH for each, with one write
   * to each node and for any slots. Changes neither values nor times to live.
   *
   * <p>Blocking and exceptions are as with {@link #getAll}; after a lost connection it is as with
   * {@link #setAll(Map)}.
   *
   * @param keys any number, of any type of value; equal keys are touched once
   * @return for every key, in the order of the keys: {@code Value(true)} if it exists, {@link
   *     Result.Absent} if it does not, or its failure; unmodifiable
   * @throws NullPointerException if the collection or a key is null; nothing is touched then
   */
  Map<K, Result<Boolean>> touchAll(Collection<? extends K> keys);

  /**
   * Marks many keys as recently used, as {@link #touchAll}, without blocking, as {@link
   * #getAllAsync}.
   *
   * @throws NullPointerException if the collection or a key is null; nothing is touched then
   * @throws IllegalArgumentException if there are too many keys
   */
  CompletableFuture<Map<K, Result<Boolean>>> touchAllAsync(Collection<? extends K> keys);

  /** Starts a batch of commands that are sent together and read later. Not thread-safe. */
  @CheckReturnValue
  Batch<K, V> batch();

  /**
   * Reads ahead the values of a sequential loop, a window at a time.
   *
   * <pre>{@code
   * for (String key : sheaf.loop(keys)) {
   *   use(sheaf.sync().get(key)); // the first call reads the values of the next iterations too
   * }
   * }</pre>
   *
   * <p>In each iteration, on the iterating thread, the first {@code sync().get} of the current
   * item's key is answered from the window. The first window has {@value
   * dev.sheaf.internal.sync.LoopPlace#CAUTIOUS_KEYS} keys, or as many as the shortest of the last
   * four loops on this line has read. Later ones grow up to {@value
   * dev.sheaf.internal.sync.LoopPlace#MAX_WINDOW_KEYS} keys while their values are used, fewer if
   * they are large. A window is read in one round trip when its first value is requested. So a body
   * without reads causes none, and a loop that breaks wastes at most the rest of its window. All
   * else goes to the server as usual: a second get in the same iteration, gets of other keys, other
   * commands, {@link #async} and {@link #reactive}.
   *
   * <p>A value is as old as its window, and kept for at most 1 second. If this client writes the
   * key meanwhile, on any thread and through any interface, the value is dropped before the write
   * is sent, and the get goes to the server. After a command that may write any key (scripts, MSET,
   * MULTI, WATCH, FLUSHALL…), all values are dropped. Writes of other clients are seen as of the
   * time of the window; under a lock shared with them, read with {@link #async}. An error is thrown
   * by the get of its own key.
   *
   * <p>Never blocks by itself; the get that reads a window blocks like any get.
   *
   * @param keys iterated in order, as they are when the loop starts; a null is iterated but not
   *     read ahead. Keys are compared with {@code equals}, arrays by their content
   * @return an iterable for any number of loops, also nested (to a depth of {@value
   *     dev.sheaf.internal.sync.CallerThread#MAX_NESTING}). An iterator reads ahead for the thread
   *     that requests its first item, and is a plain iterator for others
   * @throws NullPointerException if the collection is null
   */
  @CheckReturnValue
  Iterable<K> loop(Collection<? extends K> keys);

  /**
   * Reads ahead the values of a sequential loop over items other than keys, as {@link
   * #loop(Collection)}.
   *
   * @param items iterated in order, as they are when the loop starts
   * @param keyOf returns the key that the body will get for an item, or null for none. It is called
   *     once for each item, some iterations ahead, on the iterating thread. Its exception is thrown
   *     when the iteration reaches that item
   * @throws NullPointerException if an argument is null
   */
  @CheckReturnValue
  <T> Iterable<T> loop(Collection<? extends T> items, Function<? super T, ? extends K> keyOf);

  /**
   * Runs a blocking body for each item, many concurrently, so that their reads are batched.
   *
   * <p>Bodies run on virtual threads where the JVM has them, at most {@value
   * SheafBuilder#MAP_EACH_BODIES} at a time; on older JVMs on the calling thread and the client's
   * pool of {@value SheafBuilder#MAP_EACH_POOL_THREADS} threads. So bodies must be safe to run
   * concurrently, and cannot use state that is bound to the calling thread (transactions, request
   * scopes, logging contexts). They may call this method again. Blocks until all bodies have ended,
   * with no time limit except those of the commands.
   *
   * <p>If a body throws, no further ones are started; those that run are completed, as stopping a
   * write halfway would not help. Then the first failure is thrown unchanged, with at most {@value
   * dev.sheaf.internal.sync.MapEach#MAX_SUPPRESSED} others suppressed. If the calling thread is
   * interrupted, the bodies are too, and have a second to end.
   *
   * @return the results in the order of the items; unmodifiable; null where a body returned null
   * @throws NullPointerException if an argument is null
   * @throws io.lettuce.core.RedisCommandInterruptedException if the calling thread was interrupted;
   *     it stays interrupted
   */
  <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body);

  /**
   * The detected loops that make one round trip per iteration through {@link #sync}: eight or more
   * calls of one command in a row, by one thread, from one place, with hardly a pause. Bodies of
   * {@link #mapEach} and calls answered by {@link #loop} do not count. Each place is logged once,
   * at level INFO, by the logger {@code dev.sheaf.loops}.
   *
   * @return at most 256 places, those with the most avoidable round trips first; an unmodifiable
   *     snapshot. Empty if {@link SheafBuilder#loopDetection} is off
   */
  @CheckReturnValue
  List<LoopReport> loops();

  /**
   * The trained dictionaries for compressing small values.
   *
   * @throws IllegalStateException if the client has no {@link SheafBuilder#compression}
   */
  Dictionaries dictionaries();

  /**
   * The connections that this client closed recently because they did not recover; see {@link
   * SheafBuilder#healing}.
   *
   * @return at most 16, latest last; an unmodifiable snapshot
   */
  @CheckReturnValue
  List<HealedConnection> healed();

  /** Lua scripts and functions: registered once, called by digest, and loaded again where lost. */
  Scripts<K, V> scripts();

  /**
   * Tells whether Redis can be used right now, cheaply enough to ask before every read. The first
   * call opens a connection to each primary, without waiting for it, unless {@link
   * SheafBuilder#availability} has opened them before.
   *
   * @return a view of the same state at every call
   * @throws SheafException if the client was closed before the first call
   */
  Availability<K> availability();

  /**
   * Reads a key through Redis: returns its value if Redis answers within 200 ms, else calls the
   * loader and writes its value back. See {@link ReadThrough#get}, and {@link
   * #readThrough(ReadThroughOptions)} for other options.
   */
  @Nullable V readThrough(K key, Duration ttl, Loader<? super K, ? extends V> loader);

  /** Reads many keys through Redis. See {@link ReadThrough#getAll}. */
  Map<K, V> readThroughAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader);

  /** Creates a read-through with other options. Keep it: its callers share loads and limits. */
  @CheckReturnValue
  ReadThrough<K, V> readThrough(ReadThroughOptions<V> options);

  /**
   * Closes all connections, within a few seconds. Unanswered and later commands fail. Closing twice
   * has no effect.
   */
  @Override
  void close();
}
