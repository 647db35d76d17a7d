// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;

/** An output that decodes a reply before the command's own output. Confined to the event loop. */
public abstract class ReplyDecoder<K, V, T> extends CommandOutput<K, V, T> {

  protected ReplyDecoder(RedisCodec<K, V> codec, T nothing) {
    super(codec, nothing);
  }

  /** Discards what was read of the reply, because the request is sent again. */
  public abstract void restart();

  /**
   * Called when the reply is complete.
   *
   * @return whether another thread decodes the reply and completes the command
   */
  public abstract boolean completesLater(RedisCommand<K, V, T> command);
}
