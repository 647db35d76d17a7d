// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.api.reactive.RedisClusterReactiveCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;

/**
 * Connections beside those of a {@link Sheaf}, for requests and replies of hundreds of kilobytes,
 * behind which the others would have to wait.
 *
 * <p>Commands of one thread reach a node in the order in which they were called, as those of the
 * {@link Sheaf} do. Between the two there is no order but by waiting: what was answered on one has
 * happened before what is called on the other after that. So after {@code async().set(…)} wait for
 * its future before {@code bulk().sync().get(…)} of the same key.
 *
 * <p>Batching, limits, time-outs, compression and meters are those of the {@link Sheaf}; each
 * connection has the limits for itself. Settings of its Lettuce connection, such as where it reads,
 * are not taken over.
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
