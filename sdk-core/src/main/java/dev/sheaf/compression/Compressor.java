// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.internal.compression.algorithm.Algorithm;
import dev.sheaf.internal.compression.algorithm.ZstdCompressor;

/**
 * One algorithm at one level. The usual ones are here: Snappy, which comes with Sheaf, and LZ4 and
 * Zstandard, which need a library of the application's. An application may bring its own, with an
 * identifier of the private range.
 *
 * <p>Implementations are thread-safe, do not block, and keep to the ranges they are given.
 */
public interface Compressor {

  /** The smallest identifier that is free for applications. */
  int FIRST_PRIVATE_ID = 0x80;

  /** The largest identifier. */
  int MAX_ID = 0xFF;

  /** Snappy: cheap enough to go unnoticed, the default. */
  static Compressor snappy() {
    return Algorithm.SNAPPY.compressor();
  }

  /**
   * LZ4, fast.
   *
   * @throws IllegalStateException if {@code at.yawk.lz4:lz4-java} is not on the class path
   */
  static Compressor lz4() {
    return Algorithm.LZ4.compressor();
  }

  /**
   * Zstandard at its library's default level: smaller than Snappy, at several times its price.
   *
   * @throws IllegalStateException if {@code com.github.luben:zstd-jni} is not on the class path
   */
  static Compressor zstd() {
    return Algorithm.ZSTD.compressor();
  }

  /**
   * Zstandard.
   *
   * @param level -7 (fast) to 22 (small)
   * @throws IllegalArgumentException if there is no such level
   * @throws IllegalStateException if {@code com.github.luben:zstd-jni} is not on the class path
   */
  static Compressor zstd(int level) {
    return ZstdCompressor.ofLevel(level);
  }

  /**
   * What the envelope says for this algorithm, 1 to {@value #MAX_ID}; the level is no part of it.
   * Those below {@value #FIRST_PRIVATE_ID} are assigned by the wire format.
   */
  int id();

  /** A short name for messages and meters, such as "snappy". */
  String name();

  /** The most bytes that {@link #compress} writes for a source of that length. */
  int maxCompressedLength(int length);

  /**
   * The most bytes that anything of that compressed length can stand for. What claims more is
   * refused before memory is allocated for it.
   */
  long maxOriginalLength(int compressedLength);

  /**
   * Compresses a range.
   *
   * @param target has room for {@link #maxCompressedLength} bytes from the offset on
   * @return how many bytes were written
   * @throws RuntimeException if it cannot; the command that has the value fails
   */
  int compress(byte[] source, int offset, int length, byte[] target, int targetOffset);

  /**
   * Restores a value. The source may be anything: it must be checked for whether it fits the target
   * before a byte is written past it.
   *
   * @param target filled from its beginning to its end
   * @throws RuntimeException if the source is not what {@link #compress} makes of a value of
   *     exactly the target's length
   */
  void decompress(byte[] source, int offset, int length, byte[] target);
}
