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

  private ValueCompression(CompressionOptions options) {
    CompressionMeters meters = CompressionMeters.none();
    this.encoder = new ValueEncoder(options, meters);
    this.decoder = new ValueDecoder(options, Codecs.of(options), meters);
  }

  /** As a client with these options does it. */
  public static ValueCompression of(CompressionOptions options) {
    return new ValueCompression(options);
  }

  /**
   * What is stored of a value under a key.
   *
   * @return a new array, or the value itself if it stays as it is
   */
  public byte[] compress(byte[] key, byte[] value) {
    Scratch scratch = Scratch.ofThread();
    int stored = encoder.encode(key, 0, key.length, value, 0, value.length, scratch);
    byte[] result =
        stored == ValueEncoder.UNCHANGED ? value : Arrays.copyOf(scratch.buffer(), stored);
    scratch.release();
    return result;
  }

  /**
   * The value of what is stored.
   *
   * @return a new array, or what is stored if that is the value
   * @throws UnreadableValueException if it looks compressed and cannot be read
   */
  public byte[] decompress(byte[] stored) {
    return Envelope.looksLikeOne(stored, 0, stored.length) ? decoder.decode(stored, 0) : stored;
  }
}
