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
 * A script that can be called.
 *
 * <p>Calls are sent as EVALSHA, or FCALL for a function, and routed by their keys. Where the server
 * does not know the script any more, because its scripts were flushed, the call is sent again with
 * the text, by its keys and so to the same node; nobody notices but the meters. A script that was
 * not found has done nothing, so it never runs twice. While a transaction (MULTI) is open on the
 * connection, nothing is sent again, as it would become part of that: the call fails.
 *
 * <p>In order: in a {@link dev.sheaf.Batch} the first call of a script for each node carries its
 * text, so that it runs in its place even if the scripts were flushed before. If they are flushed
 * while a batch, or a row of asynchronous calls, is under way, calls that were not found run in
 * their order among each other, behind the commands that were sent after them meanwhile. {@link
 * Script.Definition#inOrder} rules that out.
 *
 * <p>If the connection is lost after a call was sent and before its reply, a script that writes is
 * not sent again: the call fails with {@link dev.sheaf.OutcomeUnknownException}. A read-only one is
 * sent again.
 *
 * <p>Arguments are {@code String} (sent in UTF-8), {@code byte[]}, {@code Boolean} (1 and 0), or a
 * {@code Number}, {@code Character} or {@code Enum} (their text). They are sent as they are: no
 * codec and no compression sees them, and a script sees stored bytes; {@link Scripts#encoded} gives
 * those of a value.
 *
 * <p>All methods throw {@code IllegalArgumentException} before anything is sent if the number of
 * keys or arguments is not what the script declares, an argument has another type, or, on a
 * cluster, the keys are not in one slot; {@code NullPointerException} if a key or an argument is
 * null. An error of the server is a {@link ScriptException}.
 *
 * <p>Thread-safe.
 *
 * @param <K> the client's type of keys
 * @param <T> the type of the result
 */
public interface RegisteredScript<K, T extends @Nullable Object> {

  /** The budget of a scatter unless given: 2 milliseconds. */
  Duration SCATTER_BUDGET = Duration.ofMillis(2);

  /**
   * Most keys in one slice of a scatter: 10,000, below which a server spends less than a few
   * milliseconds on reading the call itself.
   */
  int MAX_SLICE_KEYS = 10_000;

  /** What was registered. */
  Script<T> script();

  /**
   * Calls and waits for the result, at most the command time-out.
   *
   * @throws io.lettuce.core.RedisException if the call failed or there was no reply in time
   */
  T call(List<? extends K> keys, Object... args);

  /**
   * Calls without waiting. To cancel the future drops a call that was not sent yet; one that was is
   * not stopped.
   */
  CompletableFuture<T> callAsync(List<? extends K> keys, Object... args);

  /**
   * Calls when subscribed to, once for each subscription. A null result completes empty. To cancel
   * does what it does to {@link #callAsync}.
   */
  @CheckReturnValue
  Mono<T> callReactive(List<? extends K> keys, Object... args);

  /**
   * Checks a call and prepares it, to be sent later.
   *
   * @return sends the call, each time it is called
   */
  @CheckReturnValue
  Supplier<CompletableFuture<T>> prepare(List<? extends K> keys, Object... args);

  /**
   * Calls the script for any number of keys, in slices: on a cluster one slot to a slice, on a
   * single server by count. Slices are as long as keeps the server busy for a fifth of {@link
   * #SCATTER_BUDGET}, so that its other clients hardly notice. Blocks until all slices have ended;
   * each has the command time-out, the whole has no limit.
   *
   * <pre>{@code
   * long all = sizes.scatter(keys, List.of(), Collectors.summingLong(size -> size));
   * }</pre>
   *
   * <p>The script sees the keys of its slice as {@code KEYS} and has to give, for any division of
   * the keys, results that can be combined. The slices are no atomic step. A script that writes is
   * run for each key once, or not at all where its slice failed, or unknown how often, once or not,
   * after a lost connection.
   *
   * <p>For the time of a slice its round trip is taken, less the fastest one to that node, or what
   * passed since the node's last reply if that is less.
   *
   * @param keys iterated once, on the calling thread; equal keys are not joined
   * @param args the arguments of every slice
   * @param results combines the results of the slices, which end in any order. It is given one at a
   *     time, on event loops of the client: it must not block. What it throws ends the scatter
   * @throws ScatterException if slices failed; the others ran. It has the keys of those that failed
   * @throws IllegalArgumentException as {@link #call}, but the keys may be of any slots
   * @throws IllegalStateException inside a transaction (MULTI)
   * @throws io.lettuce.core.RedisCommandInterruptedException if the calling thread was interrupted;
   *     no further slices are sent then
   */
  <R> R scatter(Iterable<? extends K> keys, List<?> args, Collector<? super T, ?, R> results);

  /**
   * As {@link #scatter(Iterable, List, Collector)}, with a budget of one's own.
   *
   * @param budget how long other clients of a node may have to wait for what is sent to it. A slice
   *     is made to take a fifth of it, by what the keys before took, and two of them are sent
   *     ahead, or as many short ones as take half of it: the rest is for what the others have to
   *     wait for anyway, and for slices that take longer than thought
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
   * @param keys iterated once, on a thread of its own that ends with the scatter
   * @return the result, or a {@link ScatterException}; what the keys or the collector throw, as it
   *     is. To cancel it sends no further slices; those that were sent still run on the server
   */
  <R> CompletableFuture<R> scatterAsync(
      Iterable<? extends K> keys,
      List<?> args,
      Collector<? super T, ?, R> results,
      Duration budget);
}
