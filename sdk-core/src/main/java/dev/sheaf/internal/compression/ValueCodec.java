// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.internal.compression.dictionary.DictionaryMeters;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import java.util.Arrays;

/** Compresses and restores single values. Thread-safe; does not block. */
public final class ValueCodec implements ValueCompression {

  private final ValueEncoder encoder;
  private final ValueDecoder decoder;

  ValueCodec(ValueEncoder encoder, ValueDecoder decoder) {
    this.encoder = encoder;
    this.decoder = decoder;
  }

  /** As a client with these options does it, without meters. */
  public static ValueCodec of(CompressionOptions options) {
    return of(
        options, new DictionaryService(options, new DictionaryMeters(null, "")).withoutServer());
  }

  /** The same, with the dictionaries of a server. */
  public static ValueCodec of(CompressionOptions options, DictionaryService dictionaries) {
    CompressionMeters meters = CompressionMeters.none();
    return new ValueCodec(
        new ValueEncoder(options, dictionaries, meters),
        new ValueDecoder(options, dictionaries, meters));
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
        ? decoder.decode(stored, stored.length, 0)
        : stored;
  }
}
