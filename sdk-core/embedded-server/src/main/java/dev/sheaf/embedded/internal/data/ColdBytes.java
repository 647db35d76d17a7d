// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.nio.ByteBuffer;
import java.util.Arrays;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;

/** Compressed bytes: the original length, and an LZ4 block. */
final class ColdBytes {
  private static final int HEADER = 4;

  /** The compressed size must be at most this many eighths of the original. */
  private static final int WORTH_OF_EIGHT = 7;

  private static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
  private static final LZ4SafeDecompressor DECOMPRESSOR =
      LZ4Factory.fastestInstance().safeDecompressor();

  /** Returns the compressed bytes, or null if that saves too little. */
  static byte @Nullable [] compress(byte[] plain) {
    byte[] scratch = new byte[HEADER + COMPRESSOR.maxCompressedLength(plain.length)];
    int length = COMPRESSOR.compress(plain, 0, plain.length, scratch, HEADER);
    if (length + HEADER > (long) plain.length * WORTH_OF_EIGHT / 8) {
      return null;
    }
    ByteBuffer.wrap(scratch).putInt(plain.length);
    return Arrays.copyOf(scratch, HEADER + length);
  }

  static int length(byte[] cold) {
    return ByteBuffer.wrap(cold).getInt();
  }

  static byte[] expand(byte[] cold) {
    byte[] plain = new byte[length(cold)];
    DECOMPRESSOR.decompress(cold, HEADER, cold.length - HEADER, plain, 0);
    return plain;
  }
}
