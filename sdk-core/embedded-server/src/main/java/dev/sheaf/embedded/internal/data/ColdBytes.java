// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.data;

import java.util.Arrays;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;

/** Bytes as they lie idle: their length, and an LZ4 block. */
final class ColdBytes {
  private static final int HEADER = 4;

  /** What is kept of 8 bytes at most, or the values stay as they are. */
  private static final int WORTH_OF_EIGHT = 7;

  private static final LZ4Compressor COMPRESSOR = LZ4Factory.fastestInstance().fastCompressor();
  private static final LZ4SafeDecompressor DECOMPRESSOR =
      LZ4Factory.fastestInstance().safeDecompressor();

  /** The compressed bytes, or null where that saves little. */
  static byte @Nullable [] compress(byte[] plain) {
    byte[] scratch = new byte[HEADER + COMPRESSOR.maxCompressedLength(plain.length)];
    int length = COMPRESSOR.compress(plain, 0, plain.length, scratch, HEADER);
    if (length + HEADER > (long) plain.length * WORTH_OF_EIGHT / 8) {
      return null;
    }
    scratch[0] = (byte) (plain.length >>> 24);
    scratch[1] = (byte) (plain.length >>> 16);
    scratch[2] = (byte) (plain.length >>> 8);
    scratch[3] = (byte) plain.length;
    return Arrays.copyOf(scratch, HEADER + length);
  }

  static int length(byte[] cold) {
    return (cold[0] & 0xff) << 24
        | (cold[1] & 0xff) << 16
        | (cold[2] & 0xff) << 8
        | (cold[3] & 0xff);
  }

  static byte[] expand(byte[] cold) {
    byte[] plain = new byte[length(cold)];
    DECOMPRESSOR.decompress(cold, HEADER, cold.length - HEADER, plain, 0);
    return plain;
  }
}
