// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.internal.compression.algorithm.Algorithm;
import dev.sheaf.internal.compression.algorithm.ZstdCompressor;

/**
 * A compression algorithm at one level. Built in are Snappy, which Sheaf depends on, and LZ4 and
 * Zstandard, which need a library on the class path. An application can implement others, with
 * identifiers of the private range.
 *
 * <p>Implementations must be thread-safe, must not block, and must stay within the given ranges.
 */
public interface Compressor {

  /** The smallest identifier for algorithms of applications. */
  int FIRST_PRIVATE_ID = 0x80;

  /** The largest identifier. */
  int MAX_ID = 0xFF;

  /** Returns Snappy, the default: fast enough to go unnoticed. */
  static Compressor snappy() {
    return Algorithm.SNAPPY.compressor();
  }

  /**
   * Returns LZ4, which is fast.
   *
   * @throws IllegalStateException if {@code at.yawk.lz4:lz4-java} is not on the class path
   */
  static Compressor lz4() {
    return Algorithm.LZ4.compressor();
  }

  /**
   * Returns Zstandard at its library's default level: smaller than Snappy, at several times the
   * cost.
   *
   * @throws IllegalStateException if {@code com.github.luben:zstd-jni} is not on the class path
   */
  static Compressor zstd() {
    return Algorithm.ZSTD.compressor();
  }

  /**
   * Returns Zstandard at a level.
   *
   * @param level -7 (fast) to 22 (small)
   * @throws IllegalArgumentException if the level does not exist
   * @throws IllegalStateException if {@code com.github.luben:zstd-jni} is not on the class path
   */
  static Compressor zstd(int level) {
    return ZstdCompressor.ofLevel(level);
  }

  /**
   * Returns the identifier in the envelope, 1 to {@value #MAX_ID}, the same for all levels. The
   * wire format assigns those below {@value #FIRST_PRIVATE_ID}.
   */
  int id();

  /** Returns a short name for messages and meters, such as "snappy". */
  String name();

  /** Returns the most bytes that {@link #compress} writes for a source of this length. */
  int maxCompressedLength(int length);

  /**
   * Returns the most bytes that a compressed value of this length can decompress to. A value that
   * claims more is rejected before memory is allocated for it.
   */
  long maxOriginalLength(int compressedLength);

  /**
   * Compresses a range.
   *
   * @param target has {@link #maxCompressedLength} bytes of space from the offset
   * @return the number of bytes written
   * @throws RuntimeException if compression fails; the command with the value fails, too
   */
  int compress(byte[] source, int offset, int length, byte[] target, int targetOffset);

  /**
   * Decompresses a range. The source can be anything. Implementations must check that its result
   * fits the target before they write past it.
   *
   * @param target filled completely
   * @throws RuntimeException if the source is not the compressed form of a value of exactly the
   *     target's length
   */
  void decompress(byte[] source, int offset, int length, byte[] target);
}
