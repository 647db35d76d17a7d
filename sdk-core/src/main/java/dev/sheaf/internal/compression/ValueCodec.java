// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import java.util.Arrays;

/** Compresses and decompresses single values. Thread-safe; does not block. */
public final class ValueCodec implements ValueCompression {

  private final ValueEncoder encoder;
  private final Codecs codecs;
  private final int maxValueBytes;
  private final long maxReplyBytes;
  private final CompressionMeters meters;
  private final DictionaryMeters dictionaryMeters;

  /** Creates a codec. */
  ValueCodec(CompressionOptions options, DictionaryService dictionaries, CompressionMeters meters) {
    this.encoder = new ValueEncoder(options, dictionaries, meters);
    this.codecs = Codecs.of(options, dictionaries);
    this.maxValueBytes = options.maxValueBytes();
    this.maxReplyBytes = options.maxReplyBytes();
    this.meters = meters;
    this.dictionaryMeters = dictionaries.meters();
  }

  /** Creates a codec as a client with these options has, without meters. */
  public static ValueCodec of(CompressionOptions options) {
    return of(
        options, new DictionaryService(options, new DictionaryMeters(null, "")).withoutServer());
  }

  /** As {@link #of(CompressionOptions)}, with the dictionaries of a server. */
  public static ValueCodec of(CompressionOptions options, DictionaryService dictionaries) {
    return new ValueCodec(options, dictionaries, new CompressionMeters(null, ""));
  }

  ValueEncoder encoder() {
    return encoder;
  }

  @Override
  public byte[] compress(byte[] key, byte[] value) {
    try (Scratch scratch = Scratch.borrow()) {
      int stored = encoder.encode(key, 0, key.length, value, 0, value.length, scratch);
      return stored == ValueEncoder.UNCHANGED ? value : Arrays.copyOf(scratch.buffer(), stored);
    }
  }

  @Override
  public byte[] uncompressed(byte[] value) {
    try (Scratch scratch = Scratch.borrow()) {
      int stored = encoder.escape(value, 0, value.length, scratch);
      return stored == ValueEncoder.UNCHANGED ? value : Arrays.copyOf(scratch.buffer(), stored);
    }
  }

  @Override
  public byte[] comparable(byte[] key, byte[] value) {
    encoder.requireComparable("A comparison", key, 0, key.length, value.length);
    return uncompressed(value);
  }

  @Override
  public byte[] decompress(byte[] stored) {
    return Envelope.looksLikeOne(stored, 0, stored.length)
        ? decode(stored, stored.length, 0)
        : stored;
  }

  /**
   * Decompresses a value that {@link Envelope#looksLikeOne}.
   *
   * @param length the length of the value, which starts at the beginning of the array
   * @param replyBytes the size of the values before it in the same reply
   * @throws UnreadableValueException if it cannot be decompressed
   */
  byte[] decode(byte[] stored, int length, long replyBytes) {
    long startNanos = System.nanoTime();
    try {
      long mostBytes = Math.min(maxValueBytes, maxReplyBytes - replyBytes);
      byte[] original = Envelope.open(stored, length, codecs, mostBytes);
      meters.decompressed(original.length, length, startNanos);
      if (Envelope.dictionaryId(stored, length) != 0) {
        dictionaryMeters.read();
      }
      return original;
    } catch (UnreadableValueException e) {
      meters.unreadable(e.reason());
      throw e;
    }
  }
}
