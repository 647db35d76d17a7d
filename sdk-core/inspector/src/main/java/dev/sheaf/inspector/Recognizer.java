// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.inspector;

import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.internal.compression.Codecs;
import dev.sheaf.internal.compression.Envelope;
import dev.sheaf.internal.compression.algorithm.Algorithm;
import dev.sheaf.internal.compression.algorithm.SnappyCompressor;
import dev.sheaf.internal.compression.algorithm.ZstdCompressor;
import dev.sheaf.internal.compression.dictionary.KnownDictionaries;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Recognises the format of a stored value and decodes it. Never allocates more than its limit.
 * Thread-safe.
 */
final class Recognizer {

  private static final int GLIDE_HEADER_BYTES = 5;
  private static final int GLIDE_LENGTH_BYTES = 4;
  private static final int ZSTD_MAGIC = 0xFD2FB528;
  private static final int LENGTH_BYTES = 4;

  private final KnownDictionaries dictionaries;
  private final Codecs codecs;
  private final int maxOriginalBytes;

  /**
   * Creates a recogniser.
   *
   * @param dictionaries reads dictionaries on the calling thread
   */
  Recognizer(KnownDictionaries dictionaries, int maxOriginalBytes) {
    this.dictionaries = dictionaries;
    this.codecs = Codecs.usual(dictionaries);
    this.maxOriginalBytes = maxOriginalBytes;
  }

  /**
   * The recognised format and content of a value.
   *
   * @param original null if it cannot be decoded
   * @param originalBytes -1 if unknown
   */
  @SuppressWarnings("ArrayRecordComponent") // Used at once, never compared.
  record Recognized(
      StoredForm form,
      @Nullable String algorithm,
      byte @Nullable [] original,
      long originalBytes,
      @Nullable String problem) {}

  Recognized recognize(byte[] stored) {
    if (Envelope.looksLikeOne(stored, 0, stored.length)) {
      return sheaf(stored);
    }
    if (isGlide(stored)) {
      return opened(StoredForm.GLIDE, glideAlgorithm(stored), () -> openGlide(stored));
    }
    if (startsWith(stored, 0x1F, 0x8B, 0x08)) {
      return opened(
          StoredForm.GZIP,
          "gzip",
          () -> inflate(new GZIPInputStream(new ByteArrayInputStream(stored))));
    }
    if (stored.length > LENGTH_BYTES && intAt(stored, 0, ByteOrder.LITTLE_ENDIAN) == ZSTD_MAGIC) {
      return opened(StoredForm.ZSTD, "zstd", () -> openZstd(stored, 0));
    }
    if (isText(stored)) {
      return new Recognized(StoredForm.RAW, null, stored, stored.length, null);
    }
    return recognizeByReading(stored);
  }

  private Recognized recognizeByReading(byte[] stored) {
    Recognized found = null;
    if (isZlib(stored)) {
      found =
          opened(
              StoredForm.ZLIB,
              "deflate",
              () -> inflate(new InflaterInputStream(new ByteArrayInputStream(stored))));
    }
    if (unread(found)) {
      found = opened(StoredForm.REDISSON_LZ4, "lz4", () -> openPrefixedLz4(stored));
    }
    if (unread(found)) {
      found = opened(StoredForm.REDISSON_SNAPPY, "snappy", () -> openSnappy(stored));
    }
    return found == null || found.original() == null
        ? new Recognized(StoredForm.RAW, null, stored, stored.length, null)
        : found;
  }

  private static boolean unread(@Nullable Recognized found) {
    return found == null || found.original() == null;
  }

  private Recognized sheaf(byte[] stored) {
    int dictionary = Envelope.dictionaryId(stored, stored.length);
    if (dictionary != 0 && dictionaries.isToBeFetched(dictionary)) {
      dictionaries.fetch(dictionary);
    }
    String algorithm = algorithm(stored);
    try {
      byte[] original = Envelope.open(stored, stored.length, codecs, maxOriginalBytes);
      return new Recognized(StoredForm.SHEAF, algorithm, original, original.length, null);
    } catch (UnreadableValueException e) {
      long declared = Envelope.originalLength(stored, stored.length);
      return new Recognized(StoredForm.SHEAF, algorithm, null, declared, e.getMessage());
    }
  }

  /** Returns the algorithm in an envelope; null if it is truncated. */
  @Nullable String algorithm(byte[] stored) {
    int id = Envelope.dictionaryId(stored, stored.length);
    if (id != 0) {
      TrainedDictionary dictionary = dictionaries.get(id);
      return "zstd with "
          + (dictionary == null
              ? "dictionary " + TrainedDictionary.name(id)
              : dictionary.description());
    }
    return stored.length < Envelope.HEADER_BYTES
        ? null
        : codecs.nameOf(stored[Envelope.ALGORITHM_OFFSET] & 0xFF);
  }

  /** Decodes a value of any format. */
  private interface Opening {
    byte[] open() throws IOException;
  }

  private static Recognized opened(StoredForm form, String algorithm, Opening opening) {
    try {
      byte[] original = opening.open();
      return new Recognized(form, algorithm, original, original.length, null);
    } catch (IOException | RuntimeException e) {
      return new Recognized(form, algorithm, null, -1, "It cannot be read: " + e.getMessage());
    }
  }

  private static boolean isGlide(byte[] stored) {
    return stored.length > GLIDE_HEADER_BYTES
        && startsWith(stored, 0, 1, 2, 0)
        && (stored[4] == 1 || stored[4] == 2);
  }

  private static String glideAlgorithm(byte[] stored) {
    return stored[4] == 1 ? "zstd" : "lz4";
  }

  private byte[] openGlide(byte[] stored) throws IOException {
    if (stored[4] == 1) {
      return openZstd(stored, GLIDE_HEADER_BYTES);
    }
    int payload = GLIDE_HEADER_BYTES + GLIDE_LENGTH_BYTES;
    if (stored.length < payload) {
      throw new IOException("it ends within its header");
    }
    return openBlock(
        Algorithm.LZ4.compressor(),
        stored,
        payload,
        intAt(stored, GLIDE_HEADER_BYTES, ByteOrder.LITTLE_ENDIAN));
  }

  private byte[] openZstd(byte[] stored, int offset) throws IOException {
    Compressor zstd = Algorithm.ZSTD.compressor();
    return openBlock(
        zstd, stored, offset, ZstdCompressor.contentBytes(stored, offset, stored.length - offset));
  }

  private byte[] openPrefixedLz4(byte[] stored) throws IOException {
    if (stored.length <= LENGTH_BYTES) {
      throw new IOException("it has no length");
    }
    return openBlock(
        Algorithm.LZ4.compressor(), stored, LENGTH_BYTES, intAt(stored, 0, ByteOrder.BIG_ENDIAN));
  }

  private byte[] openSnappy(byte[] stored) throws IOException {
    return openBlock(
        Algorithm.SNAPPY.compressor(),
        stored,
        0,
        SnappyCompressor.preamble(stored, 0, stored.length));
  }

  private byte[] openBlock(Compressor compressor, byte[] stored, int offset, long length)
      throws IOException {
    int payload = stored.length - offset;
    if (length <= 0 || length > maxOriginalBytes) {
      throw new IOException(
          "it says it has " + length + " bytes, and " + maxOriginalBytes + " are accepted");
    }
    if (length > compressor.maxOriginalLength(payload)) {
      throw new IOException(payload + " bytes cannot stand for " + length);
    }
    byte[] original = new byte[(int) length];
    compressor.decompress(stored, offset, payload, original);
    return original;
  }

  private byte[] inflate(InputStream in) throws IOException {
    try (in) {
      byte[] original = in.readNBytes(maxOriginalBytes);
      if (original.length == maxOriginalBytes && in.read() >= 0) {
        throw new IOException("it has more than the " + maxOriginalBytes + " accepted bytes");
      }
      return original;
    }
  }

  /** A zlib header is a multiple of 31, so one value in a thousand resembles one by chance. */
  private static boolean isZlib(byte[] stored) {
    return stored.length > 6
        && stored[0] == 0x78
        && (((stored[0] & 0xFF) << 8) | (stored[1] & 0xFF)) % 31 == 0;
  }

  private static boolean startsWith(byte[] stored, int... bytes) {
    for (int i = 0; i < bytes.length; i++) {
      if (i >= stored.length || (stored[i] & 0xFF) != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  private static int intAt(byte[] bytes, int offset, ByteOrder order) {
    return ByteBuffer.wrap(bytes, offset, LENGTH_BYTES).order(order).getInt();
  }

  /** Returns whether these bytes are UTF-8 text without control characters except white space. */
  static boolean isText(byte[] bytes) {
    for (byte b : bytes) {
      if (b >= 0 && b < ' ' && b != '\n' && b != '\r' && b != '\t') {
        return false;
      }
    }
    return decodes(bytes);
  }

  private static boolean decodes(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }

  /** Returns the longest prefix of at most this many bytes that ends between two characters. */
  static byte[] cutText(byte[] text, int maxBytes) {
    int end = Math.min(text.length, maxBytes);
    while (end > 0 && end < text.length && (text[end] & 0xC0) == 0x80) {
      end--;
    }
    return Arrays.copyOf(text, end);
  }
}
