// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.UnreadableValueException;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;

/** Makes a value of what is stored of it. Thread-safe. */
final class ValueDecoder {

  private final Codecs codecs;
  private final int maxValueBytes;
  private final long maxReplyBytes;
  private final CompressionMeters meters;
  private final DictionaryMeters dictionaryMeters;

  ValueDecoder(
      CompressionOptions options, DictionaryService dictionaries, CompressionMeters meters) {
    this.codecs = Codecs.of(options, dictionaries);
    this.dictionaryMeters = dictionaries.meters();
    this.maxValueBytes = options.maxValueBytes();
    this.maxReplyBytes = options.maxReplyBytes();
    this.meters = meters;
  }

  /**
   * Restores a value that {@link Envelope#looksLikeOne}.
   *
   * @param length how many bytes of the array are the value, from its beginning
   * @param replyBytes how much the values before it in the same reply have
   * @throws UnreadableValueException if it cannot be read
   */
  byte[] decode(byte[] stored, int length, long replyBytes) {
    long startNanos = meters.startNanos();
    try {
      byte[] original =
          Envelope.open(
              stored, 0, length, codecs, Math.min(maxValueBytes, maxReplyBytes - replyBytes));
      meters.decompressed(original.length, length, startNanos);
      if (Envelope.dictionaryId(stored, 0, length) != 0) {
        dictionaryMeters.read();
      }
      return original;
    } catch (UnreadableValueException e) {
      meters.unreadable(e.reason());
      throw e;
    }
  }
}
