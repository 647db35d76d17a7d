// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.UnreadableValueException.Reason;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The second version of the envelope, for small values: seven bytes in place of the four that a
 * frame of Zstandard begins with. All else that a reader has to know stands in the frame: the
 * dictionary, the size and the checksum of its content.
 */
final class CompactEnvelope {

  static final int VERSION = 2;

  /** The magic and the version. */
  static final int HEADER_BYTES = 7;

  /** What one byte of a frame stands for at most. */
  static final int MAX_EXPANSION = 32 << 10;

  /** Behind the descriptor of the frame. */
  private static final int ID_OFFSET = HEADER_BYTES + 1;

  private static final int LENGTH_OFFSET = ID_OFFSET + Integer.BYTES;

  /** One segment, a checksum, four bytes of dictionary: all bits but those of the size. */
  private static final int DESCRIPTOR = 0x27;

  private static final int DESCRIPTOR_MASK = 0x3F;
  private static final int TWO_BYTES_FROM = 256;

  private CompactEnvelope() {}

  /** Whether an envelope is of this version; it may still be damaged. */
  static boolean isOne(byte[] bytes, int offset, int length) {
    return length > Envelope.VERSION_OFFSET && bytes[offset + Envelope.VERSION_OFFSET] == VERSION;
  }

  /** Writes what stands before a frame without its magic, which stands at its place behind it. */
  static void writeHeader(byte[] target) {
    Envelope.writeMagic(target, 0);
    target[Envelope.VERSION_OFFSET] = VERSION;
  }

  /** The dictionary that a value needs; 0 if it is damaged. */
  static int dictionaryId(byte[] bytes, int offset, int length) {
    return length < LENGTH_OFFSET
        ? 0
        : ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt(offset + ID_OFFSET);
  }

  /** How many bytes a value has; -1 if it is damaged. */
  static long originalLength(byte[] bytes, int offset, int length) {
    if (length <= LENGTH_OFFSET || (bytes[offset + HEADER_BYTES] & DESCRIPTOR_MASK) != DESCRIPTOR) {
      return -1;
    }
    int kind = (bytes[offset + HEADER_BYTES] & 0xFF) >>> 6;
    if (length < LENGTH_OFFSET + (1 << kind)) {
      return -1;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int at = offset + LENGTH_OFFSET;
    return switch (kind) {
      case 0 -> bytes[at] & 0xFF;
      case 1 -> (buffer.getShort(at) & 0xFFFF) + TWO_BYTES_FROM;
      case 2 -> buffer.getInt(at) & 0xFFFF_FFFFL;
      default -> buffer.getLong(at);
    };
  }

  /**
   * Restores a value whose magic and version are right.
   *
   * @throws UnreadableValueException if it is damaged, too large, or its dictionary is not there
   */
  static byte[] open(byte[] bytes, int offset, int length, Codecs codecs, long maxBytes) {
    long originalLength = originalLength(bytes, offset, length);
    if (originalLength < 0) {
      boolean cut =
          length <= LENGTH_OFFSET || (bytes[offset + HEADER_BYTES] & DESCRIPTOR_MASK) == DESCRIPTOR;
      throw Envelope.unreadable(
          cut ? Reason.TRUNCATED : Reason.CORRUPT,
          cut ? "it ends within its header" : "its frame is of another kind",
          bytes,
          offset,
          length,
          null);
    }
    int frame = length - HEADER_BYTES;
    Envelope.requireLength(
        bytes, offset, length, originalLength, (long) frame * MAX_EXPANSION, maxBytes);
    TrainedDictionary dictionary;
    try {
      dictionary = codecs.dictionary(dictionaryId(bytes, offset, length));
    } catch (UnreadableValueException e) {
      throw Envelope.unreadable(
          e.reason(), String.valueOf(e.getMessage()), bytes, offset, length, e.getCause());
    }
    byte[] original = new byte[(int) originalLength];
    try {
      if (!dictionary.use().decompress(bytes, offset + HEADER_BYTES, frame, original)) {
        throw Envelope.unreadable(
            Reason.CHECKSUM,
            "its bytes are not those that were written",
            bytes,
            offset,
            length,
            null);
      }
    } catch (LinkageError e) {
      throw Envelope.unreadable(
          Reason.MISSING_LIBRARY,
          "the library of zstd cannot be loaded: " + e,
          bytes,
          offset,
          length,
          e);
    } catch (IllegalArgumentException e) {
      throw Envelope.unreadable(
          Reason.CORRUPT, "its frame is rejected: " + e.getMessage(), bytes, offset, length, e);
    }
    return original;
  }
}
