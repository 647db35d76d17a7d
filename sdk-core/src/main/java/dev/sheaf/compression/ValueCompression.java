// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.internal.compression.ValueCodec;

/**
 * Compression of single values by hand: for arguments and results of scripts, for messages, and for
 * what comes from elsewhere. A client does it by itself for the commands that have values.
 *
 * <p>Thread-safe; does not block.
 */
public interface ValueCompression {

  /** As a client with these options does it. */
  static ValueCompression of(CompressionOptions options) {
    return ValueCodec.of(options);
  }

  /**
   * What is stored of a value under a key.
   *
   * @return a new array, or the value itself if it stays as it is
   */
  byte[] compress(byte[] key, byte[] value);

  /**
   * What may be stored of a value under any key without compressing it.
   *
   * @return the value itself, unless that begins as compressed values do; then a new array
   */
  byte[] uncompressed(byte[] value);

  /**
   * A value to be compared with what is stored under a key.
   *
   * @return as {@link #uncompressed}
   * @throws CompressionRefusedException if the value is so large that it may be stored compressed,
   *     so that the two might never be equal
   */
  byte[] comparable(byte[] key, byte[] value);

  /**
   * The value of what is stored.
   *
   * @return a new array, or what is stored if that is the value
   * @throws UnreadableValueException if it looks compressed and cannot be read
   */
  byte[] decompress(byte[] stored);
}
