// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Version 2 of the envelope, for small values: seven bytes, which replace the four-byte magic of a
 * Zstandard frame. The frame has everything else: the identifier of the dictionary, the size, and
 * the checksum of the content.
 */
final class CompactEnvelope {

  static final int VERSION = 2;

  /** The magic and the version. */
  static final int HEADER_BYTES = 7;

  /** The most bytes that one byte of a frame decompresses to. */
  static final int MAX_EXPANSION = 32 << 10;

  /** The offset behind the frame's descriptor. */
  private static final int ID_OFFSET = HEADER_BYTES + 1;

  private static final int LENGTH_OFFSET = ID_OFFSET + Integer.BYTES;

  /**
   * Single segment, with a checksum and a four-byte dictionary identifier: all bits except those of
   * the size.
   */
  private static final int DESCRIPTOR = 0x27;

  private static final int DESCRIPTOR_MASK = 0x3F;
  private static final int TWO_BYTES_FROM = 256;

  private CompactEnvelope() {}

  /** Returns whether an envelope is of this version; it can still be damaged. */
  static boolean isOne(byte[] bytes, int length) {
    return length > Envelope.VERSION_OFFSET && bytes[Envelope.VERSION_OFFSET] == VERSION;
  }

  /** Writes the bytes that replace the magic of a frame, which is already in place behind them. */
  static void writeHeader(byte[] target) {
    Envelope.writeMagic(target, VERSION);
  }

  /** Returns the identifier of the dictionary that a value needs; 0 if it is damaged. */
  static int dictionaryId(byte[] bytes, int length) {
    return length < LENGTH_OFFSET ? 0 : littleEndian(bytes).getInt(ID_OFFSET);
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the original length of a value; -1 if it is damaged. */
  static long originalLength(byte[] bytes, int length) {
    if (length <= LENGTH_OFFSET || !isOfOurKind(bytes)) {
      return -1;
    }
    int kind = (bytes[HEADER_BYTES] & 0xFF) >>> 6;
    if (length < LENGTH_OFFSET + (1 << kind)) {
      return -1;
    }
    ByteBuffer buffer = littleEndian(bytes);
    return switch (kind) {
      case 0 -> bytes[LENGTH_OFFSET] & 0xFF;
      case 1 -> (buffer.getShort(LENGTH_OFFSET) & 0xFFFF) + TWO_BYTES_FROM;
      case 2 -> Integer.toUnsignedLong(buffer.getInt(LENGTH_OFFSET));
      default -> buffer.getLong(LENGTH_OFFSET);
    };
  }

  private static boolean isOfOurKind(byte[] bytes) {
    return (bytes[HEADER_BYTES] & DESCRIPTOR_MASK) == DESCRIPTOR;
  }

  /**
   * Decompresses a value whose magic and version are correct.
   *
   * @throws UnreadableValueException if it is damaged, too large, or its dictionary is missing
   * @throws RuntimeException if its frame is rejected
   */
  static byte[] open(byte[] bytes, int length, Codecs codecs, long maxBytes) {
    long originalLength = originalLength(bytes, length);
    if (originalLength < 0) {
      throw length <= LENGTH_OFFSET || isOfOurKind(bytes)
          ? Envelope.refused(Reason.TRUNCATED, "it ends within its header")
          : Envelope.refused(Reason.CORRUPT, "its frame is of another kind");
    }
    int frame = length - HEADER_BYTES;
    Envelope.requireLength(originalLength, (long) frame * MAX_EXPANSION, maxBytes);
    TrainedDictionary dictionary = codecs.dictionary(dictionaryId(bytes, length));
    byte[] original = new byte[(int) originalLength];
    if (!dictionary.use().decompress(bytes, HEADER_BYTES, frame, original)) {
      throw Envelope.refused(Reason.CHECKSUM, "its bytes are not those that were written");
    }
    return original;
  }
}
