package dev.sheaf.compression;

import java.util.Arrays;

/**
 * Compresses and restores values by hand: for arguments and results of scripts, for messages, and
 * for what comes from elsewhere. A client does it by itself for the commands that have values.
 *
 * <p>Thread-safe; does not block.
 */
public final class ValueCompression {

  private final ValueEncoder encoder;
  private final ValueDecoder decoder;

  ValueCompression(ValueEncoder encoder, ValueDecoder decoder) {
    this.encoder = encoder;
    this.decoder = decoder;
  }

  /** As a client with these options does it. */
  public static ValueCompression of(CompressionOptions options) {
    CompressionMeters meters = CompressionMeters.none();
    return new ValueCompression(
        new ValueEncoder(options, meters), new ValueDecoder(options, Codecs.of(options), meters));
  }

  /**
   * What is stored of a value under a key.
   *
   * @return a new array, or the value itself if it stays as it is
   */
  public byte[] compress(byte[] key, byte[] value) {
    try (Scratch scratch = Scratch.borrow()) {
      int stored = encoder.encode(key, 0, key.length, value, 0, value.length, scratch);
      return stored == ValueEncoder.UNCHANGED ? value : Arrays.copyOf(scratch.buffer(), stored);
    }
  }

  /**
   * What may be stored of a value under any key without compressing it.
   *
   * @return the value itself, unless that begins as compressed values do; then a new array
   */
  public byte[] uncompressed(byte[] value) {
    try (Scratch scratch = Scratch.borrow()) {
      int stored = encoder.escape(value, 0, value.length, scratch);
      return stored == ValueEncoder.UNCHANGED ? value : Arrays.copyOf(scratch.buffer(), stored);
    }
  }

  /**
   * A value to be compared with what is stored under a key.
   *
   * @return as {@link #uncompressed}
   * @throws CompressionRefusedException if the value is so large that it may be stored compressed,
   *     so that the two might never be equal
   */
  public byte[] comparable(byte[] key, byte[] value) {
    encoder.requireComparable("A comparison", key, 0, key.length, value.length);
    return uncompressed(value);
  }

  /**
   * The value of what is stored.
   *
   * @return a new array, or what is stored if that is the value
   * @throws UnreadableValueException if it looks compressed and cannot be read
   */
  public byte[] decompress(byte[] stored) {
    return Envelope.looksLikeOne(stored, 0, stored.length)
        ? decoder.decode(stored, stored.length, 0)
        : stored;
  }
}
