// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;

/** An output that reads a reply before the command's own one does. Confined to the event loop. */
public abstract class ReplyDecoder<K, V, T> extends CommandOutput<K, V, T> {

  protected ReplyDecoder(RedisCodec<K, V> codec, T nothing) {
    super(codec, nothing);
  }

  /** The request goes out once more; what was read of its reply before does not count. */
  public abstract void restart();

  /**
   * To be called when the reply is complete.
   *
   * @return whether another thread reads the reply now, and will complete the command
   */
  public abstract boolean completesLater(RedisCommand<K, V, T> command);
}
