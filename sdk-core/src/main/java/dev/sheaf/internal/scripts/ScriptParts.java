// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import dev.sheaf.internal.pipeline.Replies;
import io.lettuce.core.codec.RedisCodec;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What the scripts of one client share.
 *
 * @param codec how keys and values are stored
 * @param commandTimeout how long a call may take
 * @param nodes the primaries it is connected to
 * @param meters what is reported
 * @param loader what brings texts to the nodes
 */
record ScriptParts<K>(
    RedisCodec<K, ?> codec,
    Duration commandTimeout,
    Nodes<K, ?> nodes,
    ScriptMeters meters,
    ScriptLoader loader) {

  /** Waits as blocking commands do, at most the command time-out, with their exceptions. */
  <T extends @Nullable Object> T await(CompletableFuture<T> future) {
    return Replies.resultOf(future, commandTimeout);
  }
}
