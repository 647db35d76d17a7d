// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.ValueOutput;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The output of a command with one value whose blocked caller can decode it. The event loop keeps a
 * compressed value encoded, unless it is so large that decoding threads take it.
 *
 * <p>Written on the event loop, and read by the caller once the command is complete.
 */
public final class CallerOutput<K, V> extends ValueOutput<K, V> {

  private @Nullable Undecoded undecoded;

  /** Creates the output of one command. */
  public CallerOutput(RedisCodec<K, V> codec) {
    super(codec);
  }

  /** An encoded value that can be decoded. */
  @FunctionalInterface
  interface Undecoded {
    /**
     * Decodes the value.
     *
     * @throws UnreadableValueException if that fails; the message names the command and key
     */
    byte[] decode();
  }

  /** Keeps a value for the caller, replacing any before. */
  void leave(Undecoded value) {
    undecoded = value;
  }

  @Override
  public void set(ByteBuffer bytes) {
    undecoded = null;
    super.set(bytes);
  }

  /**
   * Returns the value, decoded on the calling thread if necessary. Called once.
   *
   * @param value the result of the command
   * @throws UnreadableValueException if it cannot be decoded
   * @throws RuntimeException from the codec
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
