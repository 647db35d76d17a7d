// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.internal.compression.ValueCodec;

/**
 * Compresses and decompresses single values by hand: for arguments and results of scripts, for
 * messages, and for data from elsewhere. For commands with values, a client does this by itself.
 *
 * <p>Thread-safe; does not block.
 */
public interface ValueCompression {

  /** Creates compression as a client with these options has. */
  static ValueCompression of(CompressionOptions options) {
    return ValueCodec.of(options);
  }

  /**
   * Returns the stored form of a value under a key.
   *
   * @return a new array, or the value itself if it is not compressed
   */
  byte[] compress(byte[] key, byte[] value);

  /**
   * Returns the uncompressed stored form of a value, under any key.
   *
   * @return the value itself, unless it starts like a compressed value; then a new array
   */
  byte[] uncompressed(byte[] value);

  /**
   * Returns the form of a value to compare with what is stored under a key.
   *
   * @return as {@link #uncompressed}
   * @throws CompressionRefusedException if the value is so large that it can be stored compressed,
   *     so that equal values could differ
   */
  byte[] comparable(byte[] key, byte[] value);

  /**
   * Decodes a stored value.
   *
   * @return a new array, or the argument if it is the value itself
   * @throws UnreadableValueException if it looks compressed and cannot be decoded
   */
  byte[] decompress(byte[] stored);
}
