// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.pipeline.Replies;
import io.lettuce.core.codec.RedisCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The parts that the scripts of one client share.
 *
 * @param codec encodes keys and values
 * @param commandTimeout the longest that a call takes
 * @param nodes the primaries of the client
 * @param meters what is reported
 * @param loader loads texts on the nodes
 */
record ScriptParts<K>(
    RedisCodec<K, ?> codec,
    Duration commandTimeout,
    Nodes<K, ?> nodes,
    ScriptMeters meters,
    ScriptLoader loader) {

  /** Waits as blocking commands do: at most the command time-out, with the same exceptions. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return Replies.resultOf(future, commandTimeout);
  }
}
