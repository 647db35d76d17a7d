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
 * <p>One instance serves a whole application: it holds one connection to each node, and commands
 * that threads and futures send at the same time share writes and, for GETs and HGETs, commands.
 * Whether the server is a single one or a cluster is asked of the server, not configured.
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
   * @throws io.lettuce.core.RedisConnectionException if no connection could be made; the message
   *     says why
   */
  @CheckReturnValue
  static Sheaf<String, String> connect(String uri) {
    return builder(uri).connect();
  }

  /**
   * Begins a client with options of its own.
   *
   * @param uri as for {@link #connect}
   * @throws IllegalArgumentException if the URI cannot be understood; the message says why
   */
  @CheckReturnValue
  static SheafBuilder<String, String> builder(String uri) {
    return SheafBuilder.of(uri);
  }

  /**
   * Begins a client from URIs that Lettuce has parsed or built.
   *
   * @param uris one server, or some nodes of one cluster; at least one
   * @throws IllegalArgumentException if there is no URI
   */
  @CheckReturnValue
  static SheafBuilder<String, String> builder(Collection<RedisURI> uris) {
    return SheafBuilder.of(List.copyOf(uris));
  }

  /**
   * Every command, blocking until its reply or the command time-out.
   *
   * <p>Each call sees to what the calling thread is in the middle of: {@link #loop}, {@link #batch}
   * and {@link #loops} work through this object, and not through the commands that {@link
   * #standalone} and {@link #cluster} give.
   */
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
   * A second connection to each node, for large requests and replies: a value of a megabyte keeps
   * the small ones behind it on the same connection waiting until it has passed.
   *
   * <p>The first call connects, and blocks for that; later ones give the same object. It is closed
   * with this client. See {@link BulkLane} for the order of commands.
   *
   * @throws io.lettuce.core.RedisConnectionException if no connection could be made; the message
   *     says why
   */
  BulkLane<K, V> bulk();

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
  @CheckReturnValue
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
  @CheckReturnValue
  CompletableFuture<Map<K, Result<V>>> getAllAsync(Collection<? extends K> keys);

  /**
   * Writes many keys at once: a SET for each, in one write to each node concerned, whatever the
   * slots. As SET does, it removes the time to live that a key has.
   *
   * <p>Each key has an outcome of its own: {@code Value(true)} if it was written, or the {@link
   * Result.Failure} that it met, whatever became of the others. It is not one atomic step, and
   * nothing is undone. Of a key that was not answered in time, or whose outcome is unknown ({@link
   * OutcomeUnknownException}), the value may have been written, or may be yet. So look at the
   * failures: nothing is thrown for them.
   *
   * <p>Blocks until every key has its outcome, at most the command time-out for every {@value
   * SheafBuilder#KEYS_PER_SLICE} keys and as long again for room in the queues, of which requests
   * of {@value SheafBuilder#BYTES_PER_SLICE} bytes are held back at most.
   *
   * @param values any number; written in the order in which the map iterates. Keys are compared by
   *     {@code equals}, so each array is a key of its own, and of equal ones the last one stays
   * @return an outcome for every key, in the order of the map; unmodifiable
   * @throws NullPointerException if the map, a key or a value is null; nothing is written then
   * @throws io.lettuce.core.RedisCommandInterruptedException if the thread was interrupted; it
   *     stays interrupted, and any of the keys may have been written
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values);

  /**
   * Writes many keys at once that expire, as {@link #setAll(Map)}: a {@code SET key value PX ttl}
   * for each, so that no key is ever without its time to live.
   *
   * @param ttl how long each key lives from when the server writes it, in whole milliseconds (the
   *     rest is dropped); from {@link SheafBuilder#MIN_TTL} to {@link SheafBuilder#MAX_TTL}
   * @throws NullPointerException as {@link #setAll(Map)}, or if the time to live is null
   * @throws IllegalArgumentException if the time to live is out of bounds; nothing is written then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> setAll(Map<? extends K, ? extends V> values, Duration ttl);

  /**
   * Writes many keys at once, as {@link #setAll(Map)}, without blocking: what finds no room in the
   * queue of its node fails with {@link QueueFullException}.
   *
   * @param values at most {@value SheafBuilder#KEYS_PER_SLICE}
   * @return completed with the outcomes, never exceptionally; to cancel it does not recall the
   *     requests
   * @throws NullPointerException if the map, a key or a value is null; nothing is written then
   * @throws IllegalArgumentException if there are too many keys
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(Map<? extends K, ? extends V> values);

  /**
   * Writes many keys at once that expire, as {@link #setAll(Map, Duration)}, without blocking, as
   * {@link #setAllAsync(Map)}.
   *
   * @throws NullPointerException if the map, a key, a value or the time to live is null
   * @throws IllegalArgumentException if there are too many keys, or the time to live is out of
   *     bounds; nothing is written then
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> setAllAsync(
      Map<? extends K, ? extends V> values, Duration ttl);

  /**
   * Deletes many keys at once: an UNLINK for each, in one write to each node concerned, whatever
   * the slots. The server frees the memory of large values in the background.
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
   * Asks of many keys at once whether they exist: an EXISTS for each, in one write to each node
   * concerned, whatever the slots. Does not move the values.
   *
   * <p>Blocking and exceptions are as with {@link #getAll}.
   *
   * @param keys any number, of any type of value; equal keys are asked for once
   * @return for every key, in the order of the keys: {@code Value(true)} if it exists, {@link
   *     Result.Absent} if it does not, or its failure; unmodifiable
   * @throws NullPointerException if the collection or a key is null; nothing is asked then
   */
  @CheckReturnValue
  Map<K, Result<Boolean>> existsAll(Collection<? extends K> keys);

  /**
   * Asks of many keys at once whether they exist, as {@link #existsAll}, without blocking, as
   * {@link #getAllAsync}.
   *
   * @throws NullPointerException if the collection or a key is null; nothing is asked then
   * @throws IllegalArgumentException if there are too many keys
   */
  @CheckReturnValue
  CompletableFuture<Map<K, Result<Boolean>>> existsAllAsync(Collection<? extends K> keys);

  /**
   * Marks many keys as used now, for the server's eviction: a TOUCH for each, in one write to each
   * node concerned, whatever the slots. Changes neither values nor times to live.
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
   * Marks many keys as used now, as {@link #touchAll}, without blocking, as {@link #getAllAsync}.
   *
   * @throws NullPointerException if the collection or a key is null; nothing is touched then
   * @throws IllegalArgumentException if there are too many keys
   */
  CompletableFuture<Map<K, Result<Boolean>>> touchAllAsync(Collection<? extends K> keys);

  /** Begins a batch: commands whose results are read later, sent together. Not thread-safe. */
  @CheckReturnValue
  Batch<K, V> batch();

  /**
   * Reads the values of a sequential loop ahead, some at a time.
   *
   * <pre>{@code
   * for (String key : sheaf.loop(keys)) {
   *   use(sheaf.sync().get(key)); // the first call reads the values of the next iterations too
   * }
   * }</pre>
   *
   * <p>The first {@code sync().get} of the current item's key, in an iteration and on the thread
   * that iterates, is answered from the window: {@value
   * dev.sheaf.internal.sync.LoopPlace#CAUTIOUS_KEYS} keys at first, or as many as the shortest of
   * the four latest loops of this line has read, then up to {@value
   * dev.sheaf.internal.sync.LoopPlace#MAX_WINDOW_KEYS} while their values are used, fewer if they
   * are large. A window is read when the first of its values is asked for, in one round trip, and
   * not before: a body that reads nothing causes no reads, one that breaks off wastes at most the
   * rest of its window. Everything else goes to the server as always: a second get in the same
   * iteration, gets of other keys, other commands, {@link #async} and {@link #reactive}.
   *
   * <p>A value is as old as its window, and waits at most 1 second. If this client writes to the
   * key meanwhile, by whatever thread and whichever face, the value is dropped before the write is
   * sent, and the get goes to the server; after a command that may write anything (scripts, MSET,
   * MULTI, WATCH, FLUSHALL…), all values are. What other clients write is seen as of the moment of
   * the window; read under a lock that you share with them with {@link #async}. An error is thrown
   * by the get of its own key.
   *
   * <p>Never blocks by itself; the get that reads a window blocks as any get does.
   *
   * @param keys iterated in their order, as they are when the loop begins; a null is iterated, and
   *     not read ahead. Keys are compared by {@code equals}, arrays by their content
   * @return an iterable for any number of loops, nested ones too (to a depth of {@value
   *     dev.sheaf.internal.sync.CallerThread#MAX_NESTING}); an iterator serves the thread that asks
   *     for its first item, and is a plain iterator to others
   * @throws NullPointerException if the collection is null
   */
  @CheckReturnValue
  Iterable<K> loop(Collection<? extends K> keys);

  /**
   * Reads the values of a sequential loop over other things than keys ahead, as {@link
   * #loop(Collection)} does.
   *
   * @param items iterated in their order, as they are when the loop begins
   * @param keyOf the key that the body will get for an item, or null for none. It is called once
   *     for each item, for some iterations ahead, on the thread that iterates; what it throws is
   *     thrown when the iteration comes to that item
   * @throws NullPointerException if an argument is null
   */
  @CheckReturnValue
  <T> Iterable<T> loop(Collection<? extends T> items, Function<? super T, ? extends K> keyOf);

  /**
   * Runs a blocking body for each item, many at a time, so that what they read at the same time
   * travels together.
   *
   * <p>Bodies run on virtual threads where the JVM has them, at most {@value
   * SheafBuilder#MAP_EACH_BODIES} at a time; on older ones on the calling thread and the client's
   * pool of {@value SheafBuilder#MAP_EACH_POOL_THREADS} threads. So they must be safe to run side
   * by side, and do not see what is bound to the calling thread (transactions, request scopes,
   * logging contexts). They may call this method again. Blocks until all bodies have ended; there
   * is no limit of time but those of the commands.
   *
   * <p>If a body throws, no further ones begin; those that have begun run to their end, because to
   * break off a write half-way helps nobody. Then the first failure is thrown as it is, with at
   * most {@value dev.sheaf.internal.sync.MapEach#MAX_SUPPRESSED} others as suppressed ones. If the
   * calling thread is interrupted, the bodies are too, and have a second to end.
   *
   * @return the results in the order of the items; unmodifiable, with null where a body returned it
   * @throws NullPointerException if an argument is null
   * @throws io.lettuce.core.RedisCommandInterruptedException if the calling thread was interrupted;
   *     it stays interrupted
   */
  <T, R extends @Nullable Object> List<R> mapEach(
      Collection<? extends T> items, Function<? super T, ? extends R> body);

  /**
   * The loops that make one round trip after the other through {@link #sync}, found while they run:
   * one thread, eight or more calls of one command in a row, from one place, with hardly a pause.
   * Bodies of {@link #mapEach} and what {@link #loop} answers do not count. Each place is logged
   * once, at level INFO, to the logger {@code dev.sheaf.loops}.
   *
   * @return at most 256 places, those with the most avoidable round trips first; a snapshot,
   *     unmodifiable. Empty if {@link SheafBuilder#loopDetection} is off
   */
  @CheckReturnValue
  List<LoopReport> loops();

  /**
   * The trained dictionaries that small values are compressed with.
   *
   * @throws IllegalStateException if the client has no {@link SheafBuilder#compression}
   */
  Dictionaries dictionaries();

  /**
   * The connections that this client closed last to make them anew, because they stayed broken; see
   * {@link SheafBuilder#healing}.
   *
   * @return at most 16, the latest last; a snapshot, unmodifiable
   */
  @CheckReturnValue
  List<HealedConnection> healed();

  /** Lua scripts and functions: registered once, called by their digest, mended where lost. */
  Scripts<K, V> scripts();

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
  Map<K, V> readThroughAll(
      Collection<? extends K> keys,
      Duration ttl,
      Loader<? super Set<K>, ? extends Map<? extends K, ? extends V>> loader);

  /**
   * A read-through with options of its own; keep it, because its callers share loads and limits.
   */
  @CheckReturnValue
  ReadThrough<K, V> readThrough(ReadThroughOptions<V> options);

  /**
   * Closes all connections, in a few seconds at most. Commands without a reply fail, as do later
   * ones. To close twice does nothing.
   */
  @Override
  void close();
}
