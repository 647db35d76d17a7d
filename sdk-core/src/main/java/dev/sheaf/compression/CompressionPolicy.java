// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.CheckReturnValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How values are compressed whose keys start with a prefix. Immutable.
 *
 * <p>Among several policies, the one with the longest matching prefix applies. Without one, values
 * are not compressed. Compressed values can be read under any policy. Commands that work on the
 * stored bytes of a value are refused for all keys except those of {@link #off}, because another
 * client may have compressed the value, or its key may have been renamed.
 */
public final class CompressionPolicy {

  /** The smallest allowed {@link #minBytes()}. */
  public static final int LEAST_MIN_BYTES = 64;

  /** The default of {@link #minBytes()}. */
  public static final int DEFAULT_MIN_BYTES = 256;

  /** The default of {@link #minGain()}. */
  public static final double DEFAULT_MIN_GAIN = 0.1;

  private final String prefix;
  private final @Nullable Compressor compressor;
  private final int minBytes;
  private final double minGain;

  private CompressionPolicy(Builder builder) {
    this.prefix = builder.prefix;
    this.compressor = builder.compressor;
    this.minBytes = builder.minBytes;
    this.minGain = builder.minGain;
    if (minBytes < LEAST_MIN_BYTES) {
      throw new IllegalArgumentException(
          "minBytes must be at least " + LEAST_MIN_BYTES + ", but was " + minBytes);
    }
    if (!(minGain >= 0 && minGain <= 1)) {
      throw new IllegalArgumentException("minGain must be from 0 to 1, but was " + minGain);
    }
  }

  /** Returns a policy that compresses the values of all keys, with the default limits. */
  public static CompressionPolicy all(Compressor compressor) {
    return of("", compressor);
  }

  /** Returns a policy that compresses the values of keys with a prefix, with the default limits. */
  public static CompressionPolicy of(String prefix, Compressor compressor) {
    return builder()
        .prefix(prefix)
        .compressor(Objects.requireNonNull(compressor, "compressor"))
        .build();
  }

  /**
   * Returns a policy that keeps the values of keys with a prefix unchanged and allows every command
   * on them. No value of such a key may be compressed, by any client or under an earlier name of
   * the key.
   */
  public static CompressionPolicy off(String prefix) {
    return builder().prefix(prefix).build();
  }

  /** Creates a builder of a policy for all keys that compresses nothing. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the prefix of the keys in UTF-8, as their codec encodes them. Empty for all keys. */
  public String prefix() {
    return prefix;
  }

  /** Returns the compressor of new values; null if they are not compressed. */
  public @Nullable Compressor compressor() {
    return compressor;
  }

  /** Returns the size below which values are not compressed. */
  public int minBytes() {
    return minBytes;
  }

  /** Returns the part of a value, 0 to 1, that compression must save. */
  public double minGain() {
    return minGain;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CompressionPolicy policy
        && prefix.equals(policy.prefix)
        && Objects.equals(compressor, policy.compressor)
        && minBytes == policy.minBytes
        && Double.compare(minGain, policy.minGain) == 0;
  }

  @Override
  public int hashCode() {
    return Objects.hash(prefix, compressor, minBytes, minGain);
  }

  /** A builder of a policy. Not thread-safe. */
  public static final class Builder {

    private String prefix = "";
    private @Nullable Compressor compressor;
    private int minBytes = DEFAULT_MIN_BYTES;
    private double minGain = DEFAULT_MIN_GAIN;

    private Builder() {}

    /**
     * Sets the prefix of the keys in UTF-8, as their codec encodes them. Empty by default: all
     * keys.
     */
    public Builder prefix(String prefix) {
      this.prefix = Objects.requireNonNull(prefix, "prefix");
      return this;
    }

    /** Sets the compressor; null, the default, does not compress new values. */
    public Builder compressor(@Nullable Compressor compressor) {
      this.compressor = compressor;
      return this;
    }

    /**
     * Sets the size below which values are not compressed; at least {@value #LEAST_MIN_BYTES}, so
     * that counters stay numbers. {@value #DEFAULT_MIN_BYTES} by default: smaller values gain
     * little.
     */
    public Builder minBytes(int minBytes) {
      this.minBytes = minBytes;
      return this;
    }

    /**
     * Sets the part of a value, 0 to 1, that compression must save; 0.1 by default, because
     * decompression takes time.
     */
    public Builder minGain(double minGain) {
      this.minGain = minGain;
      return this;
    }

    /**
     * Creates the policy.
     *
     * @throws IllegalArgumentException if a limit is out of its range; the message names it
     */
    @CheckReturnValue
    public CompressionPolicy build() {
      return new CompressionPolicy(this);
    }
  }
}
