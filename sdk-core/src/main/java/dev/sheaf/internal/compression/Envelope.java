// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The bytes around a compressed value: 16 of them, then the payload. The wire format page describes
 * them one by one.
 *
 * <p>No valid UTF-8 text comes near the magic: three of its bytes occur in none.
 */
public final class Envelope {

  public static final int HEADER_BYTES = 16;
  static final int MAGIC_BYTES = 6;
  static final int VERSION = 1;

  /** The algorithm of a value that is kept as it is, because it looks like an envelope. */
  static final int STORED = 0;

  /** So many bits of the magic may be wrong for a value to count as a damaged envelope. */
  static final int MAX_WRONG_BITS = 2;

  /** A shorter value that begins like the magic is taken for what it is. */
  static final int MIN_MAGIC_PREFIX = 3;

  static final int VERSION_OFFSET = 6;
  public static final int ALGORITHM_OFFSET = 7;
  static final int LENGTH_OFFSET = 8;
  static final int CHECKSUM_OFFSET = 12;

  private static final byte[] MAGIC = {(byte) 0xF5, (byte) 0xFE, (byte) 0xFF, 'S', 'H', 'F'};
  private static final int SHOWN_BYTES = 24;

  private Envelope() {}

  /** Whether a reader takes these bytes for an envelope, whole or damaged. */
  public static boolean looksLikeOne(byte[] bytes, int offset, int length) {
    if (length < MAGIC_BYTES) {
      return length >= MIN_MAGIC_PREFIX
          && Arrays.equals(bytes, offset, offset + length, MAGIC, 0, length);
    }
    // Most values differ in the first byte already.
    int wrong = Integer.bitCount((bytes[offset] ^ MAGIC[0]) & 0xFF);
    for (int i = 1; i < MAGIC_BYTES && wrong <= MAX_WRONG_BITS; i++) {
      wrong += Integer.bitCount((bytes[offset + i] ^ MAGIC[i]) & 0xFF);
    }
    return wrong <= MAX_WRONG_BITS;
  }

  private static boolean isExact(byte[] bytes, int offset, int length) {
    return length >= MAGIC_BYTES
        && Arrays.equals(bytes, offset, offset + MAGIC_BYTES, MAGIC, 0, MAGIC_BYTES);
  }

  /** Whether a value that begins with this byte can look like an envelope. */
  static boolean mayBeginWith(byte first) {
    return Integer.bitCount((first ^ MAGIC[0]) & 0xFF) <= MAX_WRONG_BITS;
  }

  /** Writes the header of a payload that stands at its place behind it. */
  static void writeHeader(
      byte[] target, int offset, int algorithm, int originalLength, int payloadLength) {
    writeMagic(target, offset);
    target[offset + VERSION_OFFSET] = VERSION;
    target[offset + ALGORITHM_OFFSET] = (byte) algorithm;
    writeInt(target, offset + LENGTH_OFFSET, originalLength);
    writeInt(
        target, offset + CHECKSUM_OFFSET, checksum(target, offset, HEADER_BYTES + payloadLength));
  }

  static void writeMagic(byte[] target, int offset) {
    System.arraycopy(MAGIC, 0, target, offset, MAGIC_BYTES);
  }

  /**
   * Restores a value that {@link #looksLikeOne}.
   *
   * @param maxBytes the most that may be allocated for it
   * @throws UnreadableValueException if it is none, or is damaged, too large or of another kind
   */
  public static byte[] open(byte[] bytes, int offset, int length, Codecs codecs, long maxBytes) {
    if (isExact(bytes, offset, length)
        && CompactEnvelope.isOne(bytes, offset, length)
        && codecs.readsDictionaries()) {
      return CompactEnvelope.open(bytes, offset, length, codecs, maxBytes);
    }
    int originalLength = check(bytes, offset, length, codecs, maxBytes);
    int payload = offset + HEADER_BYTES;
    int payloadLength = length - HEADER_BYTES;
    int algorithm = bytes[offset + ALGORITHM_OFFSET] & 0xFF;
    if (algorithm == STORED) {
      return Arrays.copyOfRange(bytes, payload, payload + payloadLength);
    }
    byte[] original = new byte[originalLength];
    try {
      codecs.require(algorithm).decompress(bytes, payload, payloadLength, original);
    } catch (UnreadableValueException e) {
      throw e;
    } catch (LinkageError e) {
      // On the event loop it would cost everybody the connection.
      throw unreadable(
          Reason.MISSING_LIBRARY,
          "the library of " + codecs.nameOf(algorithm) + " cannot be loaded: " + e,
          bytes,
          offset,
          length,
          e);
    } catch (RuntimeException e) {
      throw unreadable(
          Reason.CORRUPT,
          "its " + codecs.nameOf(algorithm) + " payload is rejected: " + e,
          bytes,
          offset,
          length,
          e);
    }
    return original;
  }

  /**
   * Checks everything but the payload itself.
   *
   * @return the original length, which may be allocated
   */
  static int check(byte[] bytes, int offset, int length, Codecs codecs, long maxBytes) {
    if (length < HEADER_BYTES) {
      throw unreadable(
          Reason.TRUNCATED,
          "it ends within its header of " + HEADER_BYTES + " bytes",
          bytes,
          offset,
          length);
    }
    if (!isExact(bytes, offset, length)) {
      throw unreadable(
          Reason.DAMAGED_MAGIC, "single bits of its magic are wrong", bytes, offset, length);
    }
    int version = bytes[offset + VERSION_OFFSET] & 0xFF;
    if (version != VERSION) {
      throw unreadable(
          Reason.UNKNOWN_VERSION,
          "its format has version "
              + version
              + ", this client reads "
              + VERSION
              + (codecs.readsDictionaries() ? " and " + CompactEnvelope.VERSION : "")
              + "; update the client, and see that DictionaryOptions let it read",
          bytes,
          offset,
          length);
    }
    long originalLength = readInt(bytes, offset + LENGTH_OFFSET) & 0xFFFF_FFFFL;
    int algorithm = bytes[offset + ALGORITHM_OFFSET] & 0xFF;
    int payloadLength = length - HEADER_BYTES;
    long possible =
        algorithm == STORED
            ? payloadLength
            : require(algorithm, codecs, bytes, offset, length).maxOriginalLength(payloadLength);
    if (algorithm == STORED && originalLength != possible) {
      throw impossible(bytes, offset, length, originalLength, possible);
    }
    requireLength(bytes, offset, length, originalLength, possible, maxBytes);
    if (checksum(bytes, offset, length) != readInt(bytes, offset + CHECKSUM_OFFSET)) {
      throw unreadable(
          Reason.CHECKSUM, "its bytes are not those that were written", bytes, offset, length);
    }
    return (int) originalLength;
  }

  /** Sees to it that memory may be allocated for a value. */
  static void requireLength(
      byte[] bytes, int offset, int length, long originalLength, long possible, long maxBytes) {
    if (originalLength > possible) {
      throw impossible(bytes, offset, length, originalLength, possible);
    }
    if (originalLength > maxBytes) {
      throw unreadable(
          Reason.TOO_LARGE,
          "it has "
              + originalLength
              + " bytes, and "
              + maxBytes
              + " more are accepted; CompressionOptions.maxValueBytes and maxReplyBytes set the"
              + " limits",
          bytes,
          offset,
          length);
    }
  }

  private static UnreadableValueException impossible(
      byte[] bytes, int offset, int length, long originalLength, long possible) {
    return unreadable(
        Reason.IMPOSSIBLE_LENGTH,
        "it says it has "
            + originalLength
            + " bytes, but its payload stands for at most "
            + possible,
        bytes,
        offset,
        length);
  }

  private static Compressor require(
      int algorithm, Codecs codecs, byte[] bytes, int offset, int length) {
    try {
      return codecs.require(algorithm);
    } catch (UnreadableValueException e) {
      throw unreadable(e.reason(), String.valueOf(e.getMessage()), bytes, offset, length);
    }
  }

  /** The length of the original, as the header says; -1 if that is not there. */
  public static long originalLength(byte[] bytes, int offset, int length) {
    if (CompactEnvelope.isOne(bytes, offset, length)) {
      return CompactEnvelope.originalLength(bytes, offset, length);
    }
    return length < HEADER_BYTES ? -1 : readInt(bytes, offset + LENGTH_OFFSET) & 0xFFFF_FFFFL;
  }

  /** The identifier of the dictionary that a value needs; 0 if it needs none. */
  public static int dictionaryId(byte[] bytes, int offset, int length) {
    return CompactEnvelope.isOne(bytes, offset, length)
        ? CompactEnvelope.dictionaryId(bytes, offset, length)
        : 0;
  }

  private static int checksum(byte[] bytes, int offset, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, offset + VERSION_OFFSET, CHECKSUM_OFFSET - VERSION_OFFSET);
    checksum.update(bytes, offset + HEADER_BYTES, length - HEADER_BYTES);
    return (int) checksum.getValue();
  }

  private static void writeInt(byte[] target, int offset, int value) {
    target[offset] = (byte) (value >>> 24);
    target[offset + 1] = (byte) (value >>> 16);
    target[offset + 2] = (byte) (value >>> 8);
    target[offset + 3] = (byte) value;
  }

  private static int readInt(byte[] bytes, int offset) {
    return bytes[offset] << 24
        | (bytes[offset + 1] & 0xFF) << 16
        | (bytes[offset + 2] & 0xFF) << 8
        | (bytes[offset + 3] & 0xFF);
  }

  private static UnreadableValueException unreadable(
      Reason reason, String what, byte[] bytes, int offset, int length) {
    return unreadable(reason, what, bytes, offset, length, null);
  }

  static UnreadableValueException unreadable(
      Reason reason, String what, byte[] bytes, int offset, int length, @Nullable Throwable cause) {
    return new UnreadableValueException(
        reason,
        "The stored value looks compressed and cannot be read: "
            + what
            + ". Stored are "
            + length
            + " bytes, "
            + HexFormat.of().formatHex(bytes, offset, offset + Math.min(length, SHOWN_BYTES))
            + (length > SHOWN_BYTES ? "…" : ""),
        cause);
  }
}
