// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.scripts;

import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;

/**
 * The arguments of a call. The first key is one that Lettuce sees, to route by it; what follows is
 * there as bytes already, because an object for each of thousands of keys costs more than the keys.
 */
final class ScriptArguments extends CommandArgs<byte[], byte[]> {

  private final EncodedKeys keys;
  private final Arguments arguments;

  /**
   * Creates the arguments of a call.
   *
   * @param called the digest or the text of a script, or the name of a function
   */
  ScriptArguments(byte[] called, EncodedKeys keys, Arguments arguments) {
    super(ByteArrayCodec.INSTANCE);
    this.keys = keys;
    this.arguments = arguments;
    add(called);
    add(keys.count());
    byte[] first = keys.first();
    if (first != null) {
      addKey(first);
    }
  }

  @Override
  public int count() {
    return super.count() + Math.max(0, keys.count() - 1) + arguments.count();
  }

  @Override
  public void encode(ByteBuf buffer) {
    super.encode(buffer);
    buffer.writeBytes(keys.framesOfOthers());
    buffer.writeBytes(arguments.frames());
  }
}
