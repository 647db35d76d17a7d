// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.protocol.RedisCommand;
import org.jspecify.annotations.Nullable;

/** The compression of a command's values on their way out, and in. Thread-safe. */
public interface CommandCompression {

  /**
   * The request with its values compressed. Called on the calling thread.
   *
   * @param request as Lettuce encodes it
   * @return as it is to travel; the same array if nothing changes
   * @throws RuntimeException if the command must not run on a key of it
   */
  byte[] request(RedisCommand<?, ?, ?> command, byte[] request);

  /**
   * What is to read the reply to a command in place of its own output; null if that may.
   *
   * @param request as it travels
   */
  <K, V, T> @Nullable ReplyDecoder<K, V, T> reply(RedisCommand<K, V, T> command, byte[] request);
}
