// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collector;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * A script that is registered and can be called.
 *
 * <p>A call is sent as EVALSHA, or FCALL for a function, and routed by its keys. If the server no
 * longer knows the script because its scripts were flushed, the call is sent again with the text,
 * to the same node. Only the meters show it. A script that was not found has done nothing, so it
 * never runs twice. While a transaction (MULTI) is open on the connection nothing is sent again,
 * because it would become part of the transaction: the call fails.
 *
 * <p>Order: in a {@link dev.sheaf.Batch}, the first call of a script for each node carries its
 * text, so it runs in its place even if the scripts were flushed before. If the scripts are flushed
 * while a batch or a series of asynchronous calls is in flight, the calls that were not found run
 * in order among themselves, but after the commands sent behind them. {@link
 * Script.Definition#inOrder} rules that out.
 *
 * <p>If the connection is lost between a call and its reply, a script that writes is not sent
 * again: the call fails with {@link dev.sheaf.OutcomeUnknownException}. A read-only script is sent
 * again.
 *
 * <p>Arguments are {@code String} (sent in UTF-8), {@code byte[]}, {@code Boolean} (1 and 0), or a
 * {@code Number}, {@code Character} or {@code Enum} (sent as their text). No codec and no
 * compression is applied to them, and a script sees stored bytes. {@link Scripts#encoded} returns
 * the stored bytes of a value.
 *
 * <p>All methods throw {@code IllegalArgumentException} before anything is sent if the number of
 * keys or arguments is not what the script declares, an argument has an unsupported type, or, on a
 * cluster, the keys are in several slots; {@code NullPointerException} if a key or an argument is
 * null. A server error is reported as a {@link ScriptException}.
 *
 * <p>Thread-safe.
 *
 * @param <K> the client's type of keys
 * @param <T> the type of the result
 */
public interface RegisteredScript<K, T extends @Nullable Object> {

  /** The default budget of a scatter: 2 milliseconds. */
  Duration SCATTER_BUDGET = Duration.ofMillis(2);

  /**
   * The most keys in one slice of a scatter: 10,000. Up to there, the server reads the call itself
   * within a few milliseconds.
   */
  int MAX_SLICE_KEYS = 10_000;

  /** Returns the script. */
  Script<T> script();

  /**
   * Calls the script and waits for the result, at most the command time-out.
   *
   * @throws io.lettuce.core.RedisException if the call failed or timed out
   */
  T call(List<? extends K> keys, Object... args);

  /**
   * Calls the script without waiting. Cancelling the future drops a call that was not sent yet. A
   * call that was sent is not stopped.
   */
  CompletableFuture<T> callAsync(List<? extends K> keys, Object... args);

  /**
   * Calls the script on subscription, once for each subscriber. A null result completes empty.
   * Cancelling works as for {@link #callAsync}.
   */
  @CheckReturnValue
  Mono<T> callReactive(List<? extends K> keys, Object... args);

  /**
   * Validates and encodes a call, to be sent later.
   *
   * @return sends the call, each time it is called
   */
  @CheckReturnValue
  Supplier<CompletableFuture<T>> prepare(List<? extends K> keys, Object... args);

  /**
   * Calls the script for any number of keys, in slices. On a cluster, a slice has keys of one slot;
   * on a single server, a number of keys. Each slice keeps the server busy for about a fifth of
   * {@link #SCATTER_BUDGET}, so that other clients hardly notice. Blocks until all slices have
   * ended. Each slice has the command time-out; the whole call has no limit.
   *
   * <pre>{@code
   * long all = sizes.scatter(keys, List.of(), Collectors.summingLong(size -> size));
   * }</pre>
   *
   * <p>The script sees the keys of its slice as {@code KEYS}. Its results must combine to the same
   * whole however the keys are divided. The slices are not atomic together. A script that writes
   * runs once for each key; not at all for keys of a slice that failed; and, after a lost
   * connection, once or not at all.
   *
   * <p>The time of a slice is its round trip less the fastest round trip to that node, or what
   * passed since the node's last reply, whichever is less.
   *
   * @param keys iterated once, on the calling thread; duplicates are not removed
   * @param args the arguments of every slice
   * @param results combines the results of the slices, which complete in any order. It is called
   *     with one result at a time, on event loops of the client, and must not block. An exception
   *     from it ends the scatter
   * @throws ScatterException if slices failed; it has their keys. The other slices ran
   * @throws IllegalArgumentException as {@link #call}, but the keys can be in any slots
   * @throws IllegalStateException inside a transaction (MULTI)
   * @throws io.lettuce.core.RedisCommandInterruptedException if the calling thread was interrupted;
   *     no further slices are sent
   */
  <R> R scatter(Iterable<? extends K> keys, List<?> args, Collector<? super T, ?, R> results);

  /**
   * As {@link #scatter(Iterable, List, Collector)}, with another budget.
   *
   * @param budget the longest that other clients of a node should wait for slices sent to it. A
   *     slice takes about a fifth of it, by the cost of earlier keys. Two slices are sent ahead, or
   *     as many short ones as take half of it. The rest is for what others wait for anyway, and for
   *     slices that take longer than estimated
   * @throws IllegalArgumentException if the budget is not positive
   */
  <R> R scatter(
      Iterable<? extends K> keys,
      List<?> args,
      Collector<? super T, ?, R> results,
      Duration budget);

  /**
   * As {@link #scatter(Iterable, List, Collector, Duration)}, without blocking.
   *
   * @param keys iterated once, on a thread that is created for the scatter
   * @return the result, or a {@link ScatterException}. Exceptions of the keys or the collector are
   *     reported unchanged. Cancelling stops sending slices; those that were sent still run on the
   *     server
   */
  <R> CompletableFuture<R> scatterAsync(
      Iterable<? extends K> keys,
      List<?> args,
      Collector<? super T, ?, R> results,
      Duration budget);
}
