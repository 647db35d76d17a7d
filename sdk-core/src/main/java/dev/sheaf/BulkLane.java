// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;

/**
 * Separate connections for requests and replies of hundreds of kilobytes, which would delay smaller
 * ones on the connections of the {@link Sheaf}.
 *
 * <p>Commands of one thread reach a node in the order of the calls, as with the {@link Sheaf}.
 * Between the two there is no order, except that a command has taken effect once it was answered.
 * So after {@code async().set(…)}, wait for its future before calling {@code bulk().sync().get(…)}
 * for the same key.
 *
 * <p>Batching, limits, time-outs, compression and meters are those of the {@link Sheaf}; limits
 * apply to each connection separately. Settings of the Lettuce connection, such as {@code
 * readFrom}, are not shared.
 *
 * <p>Thread-safe.
 *
 * @param <K> the type of keys
 * @param <V> the type of values
 */
public interface BulkLane<K, V> {

  /** Every command, blocking until its reply or the command time-out. */
  RedisClusterCommands<K, V> sync();

  /** Every command, answering with a future. */
  RedisClusterAsyncCommands<K, V> async();

  /** Every command, answering with a publisher. */
  RedisClusterReactiveCommands<K, V> reactive();
}
