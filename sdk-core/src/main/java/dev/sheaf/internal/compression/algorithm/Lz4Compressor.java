// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.algorithm;

import dev.sheaf.compression.Compressor;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/** LZ4's block format, with the decompressor that checks lengths and content. */
final class Lz4Compressor implements Compressor {

  /** A length byte of a match encodes at most 255. */
  private static final int MAX_EXPANSION = 255;

  private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
  private final LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();

  @Override
  public int id() {
    return 2;
  }

  @Override
  public String name() {
    return "lz4";
  }

  @Override
  public int maxCompressedLength(int length) {
    return compressor.maxCompressedLength(length);
  }

  @Override
  public long maxOriginalLength(int compressedLength) {
    return (long) compressedLength * MAX_EXPANSION;
  }

  @Override
  public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
    return compressor.compress(
        source, offset, length, target, targetOffset, target.length - targetOffset);
  }

  @Override
  public void decompress(byte[] source, int offset, int length, byte[] target) {
    int written = decompressor.decompress(source, offset, length, target, 0, target.length);
    if (written != target.length) {
      throw new IllegalArgumentException(
          "the block stands for " + written + " bytes, not " + target.length);
    }
  }
}
