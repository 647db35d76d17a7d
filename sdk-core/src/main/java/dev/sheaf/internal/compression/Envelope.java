// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The envelope of a compressed value: 16 bytes, then the payload. The wire format page describes
 * each of them.
 *
 * <p>No valid UTF-8 text resembles the magic: three of its bytes occur in none.
 */
public final class Envelope {

  public static final int HEADER_BYTES = 16;
  static final int MAGIC_BYTES = 6;
  static final int VERSION = 1;

  /** The algorithm of a value that is stored uncompressed because it resembles an envelope. */
  static final int STORED = 0;

  /** The most wrong bits of the magic for a value to count as a damaged envelope. */
  static final int MAX_WRONG_BITS = 2;

  /** Shorter values that start like the magic are plain values. */
  static final int MIN_MAGIC_PREFIX = 3;

  static final int VERSION_OFFSET = 6;
  public static final int ALGORITHM_OFFSET = 7;
  static final int LENGTH_OFFSET = 8;
  static final int CHECKSUM_OFFSET = 12;

  private static final byte[] MAGIC = {(byte) 0xF5, (byte) 0xFE, (byte) 0xFF, 'S', 'H', 'F'};
  private static final int SHOWN_BYTES = 24;

  private Envelope() {}

  /** Returns whether a reader treats these bytes as an envelope, intact or damaged. */
  public static boolean looksLikeOne(byte[] bytes, int offset, int length) {
    if (length < MAGIC_BYTES) {
      return length >= MIN_MAGIC_PREFIX
          && Arrays.equals(bytes, offset, offset + length, MAGIC, 0, length);
    }
    // Most values differ in the first byte.
    int wrong = Integer.bitCount((bytes[offset] ^ MAGIC[0]) & 0xFF);
    for (int i = 1; i < MAGIC_BYTES && wrong <= MAX_WRONG_BITS; i++) {
      wrong += Integer.bitCount((bytes[offset + i] ^ MAGIC[i]) & 0xFF);
    }
    return wrong <= MAX_WRONG_BITS;
  }

  private static boolean isExact(byte[] bytes, int length) {
    return length >= MAGIC_BYTES && Arrays.equals(bytes, 0, MAGIC_BYTES, MAGIC, 0, MAGIC_BYTES);
  }

  /** Returns whether a value that starts with this byte can resemble an envelope. */
  static boolean mayBeginWith(byte first) {
    return Integer.bitCount((first ^ MAGIC[0]) & 0xFF) <= MAX_WRONG_BITS;
  }

  /** Writes the header of a payload that is already in place behind it. */
  static void writeHeader(byte[] target, int algorithm, int originalLength, int payloadLength) {
    writeMagic(target, VERSION);
    target[ALGORITHM_OFFSET] = (byte) algorithm;
    ByteBuffer header = ByteBuffer.wrap(target).putInt(LENGTH_OFFSET, originalLength);
    header.putInt(CHECKSUM_OFFSET, checksum(target, HEADER_BYTES + payloadLength));
  }

  static void writeMagic(byte[] target, int version) {
    System.arraycopy(MAGIC, 0, target, 0, MAGIC_BYTES);
    target[VERSION_OFFSET] = (byte) version;
  }

  /**
   * Decompresses a value that {@link #looksLikeOne}.
   *
   * @param length the length of the value, which starts at the beginning of the array
   * @param maxBytes the most that can be allocated for it
   * @throws UnreadableValueException if it is damaged, too large or of another format
   */
  public static byte[] open(byte[] bytes, int length, Codecs codecs, long maxBytes) {
    boolean compact =
        isExact(bytes, length)
            && CompactEnvelope.isOne(bytes, length)
            && codecs.readsDictionaries();
    try {
      return compact
          ? CompactEnvelope.open(bytes, length, codecs, maxBytes)
          : openPlain(bytes, length, codecs, maxBytes);
    } catch (UnreadableValueException e) {
      throw unreadable(e.reason(), String.valueOf(e.getMessage()), bytes, length, e.getCause());
    } catch (LinkageError e) {
      // Thrown on the event loop, it would close the shared connection.
      String what = "the library of " + nameOf(bytes, compact, codecs) + " cannot be loaded: " + e;
      throw unreadable(Reason.MISSING_LIBRARY, what, bytes, length, e);
    } catch (RuntimeException e) {
      String what = "its " + nameOf(bytes, compact, codecs) + " payload is rejected: " + e;
      throw unreadable(Reason.CORRUPT, what, bytes, length, e);
    }
  }

  private static String nameOf(byte[] bytes, boolean compact, Codecs codecs) {
    return compact ? "zstd" : codecs.nameOf(bytes[ALGORITHM_OFFSET] & 0xFF);
  }

  private static UnreadableValueException unreadable(
      Reason reason, String what, byte[] bytes, int length, @Nullable Throwable cause) {
    return new UnreadableValueException(
        reason,
        "The stored value looks compressed and cannot be read: "
            + what
            + ". Stored are "
            + length
            + " bytes, "
            + HexFormat.of().formatHex(bytes, 0, Math.min(length, SHOWN_BYTES))
            + (length > SHOWN_BYTES ? "…" : ""),
        cause);
  }

  private static byte[] openPlain(byte[] bytes, int length, Codecs codecs, long maxBytes) {
    if (length < HEADER_BYTES) {
      throw refused(Reason.TRUNCATED, "it ends within its header of " + HEADER_BYTES + " bytes");
    }
    if (!isExact(bytes, length)) {
      throw refused(Reason.DAMAGED_MAGIC, "single bits of its magic are wrong");
    }
    int version = bytes[VERSION_OFFSET] & 0xFF;
    if (version != VERSION) {
      throw refused(
          Reason.UNKNOWN_VERSION,
          "its format has version "
              + version
              + ", this client reads "
              + VERSION
              + (codecs.readsDictionaries() ? " and " + CompactEnvelope.VERSION : "")
              + "; update the client, and see that DictionaryOptions let it read");
    }
    int algorithm = bytes[ALGORITHM_OFFSET] & 0xFF;
    int payloadLength = length - HEADER_BYTES;
    Compressor compressor = algorithm == STORED ? null : codecs.require(algorithm);
    long possible =
        compressor == null ? payloadLength : compressor.maxOriginalLength(payloadLength);
    long originalLength = originalLength(bytes, length);
    requireLength(originalLength, possible, maxBytes);
    if (compressor == null && originalLength != possible) {
      throw impossible(originalLength, possible);
    }
    if (checksum(bytes, length) != ByteBuffer.wrap(bytes).getInt(CHECKSUM_OFFSET)) {
      throw refused(Reason.CHECKSUM, "its bytes are not those that were written");
    }
    if (compressor == null) {
      return Arrays.copyOfRange(bytes, HEADER_BYTES, length);
    }
    byte[] original = new byte[(int) originalLength];
    compressor.decompress(bytes, HEADER_BYTES, payloadLength, original);
    return original;
  }

  /** Checks that memory for a value can be allocated. */
  static void requireLength(long originalLength, long possible, long maxBytes) {
    if (originalLength > possible) {
      throw impossible(originalLength, possible);
    }
    if (originalLength > maxBytes) {
      throw refused(
          Reason.TOO_LARGE,
          "it has "
              + originalLength
              + " bytes, and "
              + maxBytes
              + " more are accepted; CompressionOptions.maxValueBytes and maxReplyBytes set the"
              + " limits");
    }
  }

  private static UnreadableValueException impossible(long originalLength, long possible) {
    return refused(
        Reason.IMPOSSIBLE_LENGTH,
        "it says it has "
            + originalLength
            + " bytes, but its payload stands for at most "
            + possible);
  }

  /** The kind of damage. {@link #open} adds the bytes to the message. */
  static UnreadableValueException refused(Reason reason, String what) {
    return new UnreadableValueException(reason, what, null);
  }

  /** Returns the original length in the header; -1 if there is none. */
  public static long originalLength(byte[] bytes, int length) {
    if (CompactEnvelope.isOne(bytes, length)) {
      return CompactEnvelope.originalLength(bytes, length);
    }
    return length < HEADER_BYTES
        ? -1
        : Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt(LENGTH_OFFSET));
  }

  /** Returns the identifier of the dictionary that a value needs; 0 for none. */
  public static int dictionaryId(byte[] bytes, int length) {
    return CompactEnvelope.isOne(bytes, length) ? CompactEnvelope.dictionaryId(bytes, length) : 0;
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, VERSION_OFFSET, CHECKSUM_OFFSET - VERSION_OFFSET);
    checksum.update(bytes, HEADER_BYTES, length - HEADER_BYTES);
    return (int) checksum.getValue();
  }
}
