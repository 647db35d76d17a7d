// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

/** Compresses the values in requests and decompresses those in replies. Thread-safe. */
public interface CommandCompression {

  /**
   * Compresses the values of a request. Called on the calling thread.
   *
   * @param request the request as encoded by Lettuce
   * @return the request to send; the same array if nothing was compressed
   * @throws RuntimeException if the command must not be used with one of its keys
   */
  byte[] request(RedisCommand<?, ?, ?> command, byte[] request);

  /**
   * The decoder of the reply, in place of the command's own output; null if none is needed.
   *
   * @param request the request as sent
   */
  <K, V, T> @Nullable ReplyDecoder<K, V, T> reply(RedisCommand<K, V, T> command, byte[] request);
}
