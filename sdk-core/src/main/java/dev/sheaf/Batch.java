// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.scripts.RegisteredScript;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commands that are collected, sent together and read afterwards.
 *
 * <pre>{@code
 * try (Batch<String, String> batch = sheaf.batch()) {
 *   Deferred<String> name = batch.get("user:1:name");
 *   Deferred<Long> visits = batch.add(redis -> redis.incr("user:1:visits"));
 *   show(name.get(), visits.get()); // the first get() sends all, in one write per node
 * }
 * }</pre>
 *
 * <p>Commands are sent when a result is asked for, when the batch is executed or closed, or when
 * {@value #MAX_UNSENT_COMMANDS} have gathered; after {@value #MAX_UNANSWERED_COMMANDS} without a
 * reply, adding one waits for replies. Commands to one node run in the order in which they were
 * added. A batch is not a transaction: other clients' commands may run in between.
 *
 * <p>Not thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface Batch<K, V> extends AutoCloseable {

  /** How many commands gather before the batch sends them by itself. */
  int MAX_UNSENT_COMMANDS = 1_000;

  /** How many commands may be without a reply before adding another one waits. */
  int MAX_UNANSWERED_COMMANDS = 10_000;

  /**
   * Adds a GET.
   *
   * @throws NullPointerException if the key is null
   * @throws IllegalStateException if the batch is closed
   */
  Deferred<@Nullable V> get(K key);

  /**
   * Adds any command.
   *
   * @param command calls one command and returns its future; it runs when the batch is sent, on the
   *     thread that sends it. What it throws becomes the outcome of this command. It may call the
   *     client's blocking methods: these first send what was collected before. It must not wait for
   *     an asynchronous command of its own, which is sent only after it has returned
   * @throws IllegalStateException if the batch is closed
   */
  <T extends @Nullable Object> Deferred<T> add(
      Function<? super RedisClusterAsyncCommands<K, V>, ? extends CompletionStage<T>> command);

  /**
   * Adds a call of a script, checked now. See {@link RegisteredScript} for its place in the order.
   *
   * @throws IllegalArgumentException if the number of keys or arguments is not what the script
   *     declares, an argument has another type, or, on a cluster, the keys are not in one slot
   * @throws NullPointerException if a key or an argument is null
   * @throws IllegalStateException if the batch is closed
   */
  <T extends @Nullable Object> Deferred<T> call(
      RegisteredScript<K, T> script, List<? extends K> keys, Object... args);

  /** Sends what has gathered. Does not wait for replies. */
  void execute();

  /**
   * Sends what has gathered and waits for all replies, each at most the command time-out.
   *
   * @throws SheafException if a command failed whose result nobody read; the message counts them
   *     and the cause is the first
   */
  @Override
  void close();
}
