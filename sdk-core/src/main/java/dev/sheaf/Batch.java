// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import dev.sheaf.scripts.RegisteredScript;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A batch of commands that are collected, sent together, and read afterwards.
 *
 * <pre>{@code
 * try (Batch<String, String> batch = sheaf.batch()) {
 *   Deferred<String> name = batch.get("user:1:name");
 *   Deferred<Long> visits = batch.add(redis -> redis.incr("user:1:visits"));
 *   show(name.get(), visits.get()); // the first get() sends all, in one write per node
 * }
 * }</pre>
 *
 * <p>Commands are sent when a result is read, when the batch is executed or closed, or when {@value
 * #MAX_UNSENT_COMMANDS} have been collected. While {@value #MAX_UNANSWERED_COMMANDS} are
 * unanswered, adding another one waits for replies. Commands to one node run in the order in which
 * they were added. A batch is not a transaction: commands of other clients may run in between.
 *
 * <p>Not thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface Batch<K, V> extends AutoCloseable {

  /** Most commands to collect before the batch sends them. */
  int MAX_UNSENT_COMMANDS = 1_000;

  /** Most unanswered commands before adding another one waits. */
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
   * @param command calls one command and returns its future. It runs when the batch is sent, on the
   *     sending thread. An exception becomes the outcome of this command. It may call blocking
   *     methods of the client, which first send the commands collected before. It must not wait for
   *     an asynchronous command of its own, which is sent only after it has returned
   * @throws IllegalStateException if the batch is closed
   */
  <T extends @Nullable Object> Deferred<T> add(
      Function<? super RedisClusterAsyncCommands<K, V>, ? extends CompletionStage<T>> command);

  /**
   * Adds a call of a script. Arguments are checked now. See {@link RegisteredScript} for the order
   * of script calls.
   *
   * @throws IllegalArgumentException if the number of keys or arguments is not what the script
   *     declares, an argument has another type, or, on a cluster, the keys are not in one slot
   * @throws NullPointerException if a key or an argument is null
   * @throws IllegalStateException if the batch is closed
   */
  <T extends @Nullable Object> Deferred<T> call(
      RegisteredScript<K, T> script, List<? extends K> keys, Object... args);

  /** Sends the collected commands. Does not wait for replies. */
  void execute();

  /**
   * Sends the collected commands and waits for all replies, each at most the command time-out.
   *
   * @throws SheafException if commands failed whose results nobody read; the message has their
   *     number, and the cause is the first failure
   */
  @Override
  void close();
}
