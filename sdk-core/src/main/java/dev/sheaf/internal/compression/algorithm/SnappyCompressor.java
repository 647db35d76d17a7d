// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.algorithm;

import dev.sheaf.compression.Compressor;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyError;

/**
 * Snappy's block format. Uses only the library's methods on arrays: those on direct buffers write
 * without checking the capacity.
 */
public final class SnappyCompressor implements Compressor {

  /** A copy of 64 bytes takes 3 bytes; nothing in the format is denser. */
  private static final int MAX_EXPANSION = 22;

  private static final int PREAMBLE_BYTES = 5;

  @Override
  public int id() {
    return 1;
  }

  @Override
  public String name() {
    return "snappy";
  }

  @Override
  public int maxCompressedLength(int length) {
    return Snappy.maxCompressedLength(length);
  }

  @Override
  public long maxOriginalLength(int compressedLength) {
    return (long) compressedLength * MAX_EXPANSION;
  }

  @Override
  public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
    try {
      return Snappy.compress(source, offset, length, target, targetOffset);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SnappyError e) {
      throw notLoaded(e);
    }
  }

  @Override
  public void decompress(byte[] source, int offset, int length, byte[] target) {
    try {
      requireLength(preamble(source, offset, length), target.length);
      requireLength(Snappy.uncompress(source, offset, length, target, 0), target.length);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (SnappyError e) {
      throw notLoaded(e);
    }
  }

  /** The first time, a missing native library is reported by an error of its own. */
  private static LinkageError notLoaded(SnappyError e) {
    return new LinkageError(e.toString(), e);
  }

  private static void requireLength(long found, int expected) {
    if (found != expected) {
      throw new IllegalArgumentException(
          "the block stands for " + found + " bytes, not " + expected);
    }
  }

  /** Returns the length that a block claims, a number with seven bits in each byte. */
  public static long preamble(byte[] source, int offset, int length) {
    long value = 0;
    for (int i = 0; i < Math.min(length, PREAMBLE_BYTES); i++) {
      value |= (long) (source[offset + i] & 0x7F) << (7 * i);
      if (source[offset + i] >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("the block does not say its length");
  }
}
