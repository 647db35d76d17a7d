// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.internal.compression.algorithm.Algorithm;
import dev.sheaf.internal.compression.algorithm.ZstdCompressor;

/**
 * The algorithms of the wire format. Snappy comes with Sheaf; LZ4 and Zstandard need a library of
 * the application's.
 */
public final class Compressors {

  /** The fastest level of Zstandard that is offered. */
  public static final int MIN_ZSTD_LEVEL = -7;

  /** The strongest level of Zstandard. */
  public static final int MAX_ZSTD_LEVEL = 22;

  /** The level of Zstandard unless given: the library's own default. */
  public static final int DEFAULT_ZSTD_LEVEL = ZstdCompressor.DEFAULT_LEVEL;

  private Compressors() {}

  /** Snappy: cheap enough to go unnoticed, the default. */
  public static Compressor snappy() {
    return Algorithm.SNAPPY.compressor();
  }

  /**
   * LZ4, fast.
   *
   * @throws IllegalStateException if {@code at.yawk.lz4:lz4-java} is not on the class path
   */
  public static Compressor lz4() {
    return Algorithm.LZ4.compressor();
  }

  /**
   * Zstandard at its default level: smaller than Snappy, at several times its price.
   *
   * @throws IllegalStateException if {@code com.github.luben:zstd-jni} is not on the class path
   */
  public static Compressor zstd() {
    return Algorithm.ZSTD.compressor();
  }

  /**
   * Zstandard.
   *
   * @param level {@value #MIN_ZSTD_LEVEL} (fast) to {@value #MAX_ZSTD_LEVEL} (small)
   * @throws IllegalArgumentException if there is no such level
   * @throws IllegalStateException if {@code com.github.luben:zstd-jni} is not on the class path
   */
  public static Compressor zstd(int level) {
    if (level < MIN_ZSTD_LEVEL || level > MAX_ZSTD_LEVEL) {
      throw new IllegalArgumentException(
          "The level of zstd must be "
              + MIN_ZSTD_LEVEL
              + " to "
              + MAX_ZSTD_LEVEL
              + ", but was "
              + level);
    }
    Algorithm.ZSTD.requirePresent();
    return new ZstdCompressor(level);
  }
}
