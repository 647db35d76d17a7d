// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.ValueOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The output of a command for one value, whose caller waits for it and so can decode it: the event
 * loop leaves a compressed value as it is stored, unless it is so large that the threads for that
 * decode it.
 *
 * <p>Written by the event loop, and asked by the caller once the command is complete.
 */
public final class CallerOutput<K, V> extends ValueOutput<K, V> {

  private @Nullable Undecoded undecoded;

  /** Creates the output of one command. */
  public CallerOutput(RedisCodec<K, V> codec) {
    super(codec);
  }

  /** A value as it is stored, and can be decoded. */
  @FunctionalInterface
  interface Undecoded {
    /**
     * Restores the value.
     *
     * @throws UnreadableValueException if it cannot be read; the message names the command and key
     */
    byte[] decode();
  }

  /** Keeps a value for the caller, in place of any before. */
  void leave(Undecoded value) {
    undecoded = value;
  }

  @Override
  public void set(ByteBuffer bytes) {
    undecoded = null;
    super.set(bytes);
  }

  /**
   * The value, decoded by the calling thread if that is still to be done. To be asked once.
   *
   * @param value what the command completed with
   * @throws UnreadableValueException if it cannot be read
   * @throws RuntimeException whatever the codec throws
   */
  public @Nullable V decoded(@Nullable V value) {
    Undecoded left = undecoded;
    if (left == null) {
      return value;
    }
    set(ByteBuffer.wrap(left.decode()));
    return get();
  }
}
