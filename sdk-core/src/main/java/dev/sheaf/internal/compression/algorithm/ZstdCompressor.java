// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.algorithm;

import com.github.luben.zstd.Zstd;
import dev.sheaf.compression.Compressor;

/** Zstandard frames, each with its content size. */
public final class ZstdCompressor implements Compressor {

  /** The library's default. */
  static final int DEFAULT_LEVEL = 3;

  /** A block of 128 KiB that repeats one byte takes 4 bytes. */
  private static final int MAX_EXPANSION = 32 << 10;

  private static final int FASTEST = -7;
  private static final int STRONGEST = 22;

  private final int level;

  ZstdCompressor(int level) {
    if (level < FASTEST || level > STRONGEST) {
      throw new IllegalArgumentException(
          "The level of zstd must be " + FASTEST + " to " + STRONGEST + ", but was " + level);
    }
    this.level = level;
  }

  /**
   * Returns the compressor of a level.
   *
   * @throws IllegalArgumentException if the level does not exist
   * @throws IllegalStateException if its library is missing
   */
  public static Compressor ofLevel(int level) {
    Algorithm.ZSTD.requirePresent();
    return new ZstdCompressor(level);
  }

  @Override
  public int id() {
    return 3;
  }

  @Override
  public String name() {
    return "zstd";
  }

  @Override
  public int maxCompressedLength(int length) {
    return (int) Math.min(Integer.MAX_VALUE, Zstd.compressBound(length));
  }

  @Override
  public long maxOriginalLength(int compressedLength) {
    return (long) compressedLength * MAX_EXPANSION;
  }

  @Override
  public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
    return checked(
        Zstd.compressByteArray(
            target, targetOffset, target.length - targetOffset, source, offset, length, level));
  }

  @Override
  public void decompress(byte[] source, int offset, int length, byte[] target) {
    int written =
        checked(Zstd.decompressByteArray(target, 0, target.length, source, offset, length));
    if (written != target.length) {
      throw new IllegalArgumentException(
          "the frame stands for " + written + " bytes, not " + target.length);
    }
  }

  /** Returns the content size of the first frame; not positive if it has none. */
  public static long contentBytes(byte[] source, int offset, int length) {
    return Zstd.getFrameContentSize(source, offset, length);
  }

  private static int checked(long result) {
    if (Zstd.isError(result)) {
      throw new IllegalArgumentException(Zstd.getErrorName(result));
    }
    return (int) result;
  }
}
