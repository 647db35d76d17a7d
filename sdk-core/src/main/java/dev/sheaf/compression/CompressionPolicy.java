package dev.sheaf.compression;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the values of keys that begin with a prefix. Immutable.
 *
 * <p>Of several policies, the one with the longest prefix holds. Values of keys under none are not
 * compressed; whatever is compressed is read, whatever the policy. Commands that would work on the
 * stored bytes of a value are refused for all keys but those of {@link #off}, since a value may
 * have been compressed by another client, or before its key was renamed.
 *
 * @param prefix how the keys begin, as their codec encodes them; UTF-8. Empty for all keys
 * @param compressor how to compress; null to leave new values as they are
 * @param minBytes smaller values stay as they are; at least {@value #LEAST_MIN_BYTES}, so that
 *     counters stay numbers. {@value #DEFAULT_MIN_BYTES} by default: below, little is gained
 * @param minGain the part of a value that must be saved for it to be stored compressed, 0 to 1; 0.1
 *     by default, since to read a compressed value costs time
 */
public record CompressionPolicy(
    String prefix, @Nullable Compressor compressor, int minBytes, double minGain) {

  /** The smallest allowed {@link #minBytes()}. */
  public static final int LEAST_MIN_BYTES = 64;

  /** The {@link #minBytes()} unless given. */
  public static final int DEFAULT_MIN_BYTES = 256;

  /** The {@link #minGain()} unless given. */
  public static final double DEFAULT_MIN_GAIN = 0.1;

  /**
   * Checks the limits.
   *
   * @throws IllegalArgumentException if a limit is out of its range; the message names it
   */
  public CompressionPolicy {
    Objects.requireNonNull(prefix, "prefix");
    if (minBytes < LEAST_MIN_BYTES) {
      throw new IllegalArgumentException(
          "minBytes must be at least " + LEAST_MIN_BYTES + ", but was " + minBytes);
    }
    if (!(minGain >= 0 && minGain <= 1)) {
      throw new IllegalArgumentException("minGain must be from 0 to 1, but was " + minGain);
    }
  }

  /** Compresses the values of all keys, with the usual limits. */
  public static CompressionPolicy all(Compressor compressor) {
    return of("", compressor);
  }

  /** Compresses the values of keys with a prefix, with the usual limits. */
  public static CompressionPolicy of(String prefix, Compressor compressor) {
    return new CompressionPolicy(
        prefix,
        Objects.requireNonNull(compressor, "compressor"),
        DEFAULT_MIN_BYTES,
        DEFAULT_MIN_GAIN);
  }

  /**
   * Leaves the values of keys with a prefix as they are, and allows every command on them. No value
   * of such a key may be compressed: by any client, or under another name before.
   */
  public static CompressionPolicy off(String prefix) {
    return new CompressionPolicy(prefix, null, DEFAULT_MIN_BYTES, DEFAULT_MIN_GAIN);
  }

  /** This policy with another {@link #minBytes()}. */
  public CompressionPolicy withMinBytes(int minBytes) {
    return new CompressionPolicy(prefix, compressor, minBytes, minGain);
  }

  /** This policy with another {@link #minGain()}. */
  public CompressionPolicy withMinGain(double minGain) {
    return new CompressionPolicy(prefix, compressor, minBytes, minGain);
  }
}
