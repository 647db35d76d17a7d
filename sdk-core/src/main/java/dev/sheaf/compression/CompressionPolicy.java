// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import dev.sheaf.CheckReturnValue;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the values of keys that begin with a prefix. Immutable.
 *
 * <p>Of several policies, the one with the longest prefix holds. Values of keys under none are not
 * compressed; whatever is compressed is read, whatever the policy. Commands that would work on the
 * stored bytes of a value are refused for all keys but those of {@link #off}, since a value may
 * have been compressed by another client, or before its key was renamed.
 */
public final class CompressionPolicy {

  /** The smallest allowed {@link #minBytes()}. */
  public static final int LEAST_MIN_BYTES = 64;

  /** The {@link #minBytes()} unless given. */
  public static final int DEFAULT_MIN_BYTES = 256;

  /** The {@link #minGain()} unless given. */
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

  /** Compresses the values of all keys, with the default limits. */
  public static CompressionPolicy all(Compressor compressor) {
    return of("", compressor);
  }

  /** Compresses the values of keys with a prefix, with the default limits. */
  public static CompressionPolicy of(String prefix, Compressor compressor) {
    return builder()
        .prefix(prefix)
        .compressor(Objects.requireNonNull(compressor, "compressor"))
        .build();
  }

  /**
   * Leaves the values of keys with a prefix as they are, and allows every command on them. No value
   * of such a key may be compressed: by any client, or under another name before.
   */
  public static CompressionPolicy off(String prefix) {
    return builder().prefix(prefix).build();
  }

  /** Begins a policy, for all keys, that compresses nothing. */
  public static Builder builder() {
    return new Builder();
  }

  /** How the keys begin, as their codec encodes them; UTF-8. Empty for all keys. */
  public String prefix() {
    return prefix;
  }

  /** How values are compressed; null if new ones are left as they are. */
  public @Nullable Compressor compressor() {
    return compressor;
  }

  /** The size below which values stay as they are. */
  public int minBytes() {
    return minBytes;
  }

  /** The part of a value that must be saved for it to be stored compressed, 0 to 1. */
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

  /** Collects the parts of a policy. Not thread-safe. */
  public static final class Builder {

    private String prefix = "";
    private @Nullable Compressor compressor;
    private int minBytes = DEFAULT_MIN_BYTES;
    private double minGain = DEFAULT_MIN_GAIN;

    private Builder() {}

    /** How the keys begin, as their codec encodes them; UTF-8. Empty, the default, for all keys. */
    public Builder prefix(String prefix) {
      this.prefix = Objects.requireNonNull(prefix, "prefix");
      return this;
    }

    /** How to compress; null, the default, to leave new values as they are. */
    public Builder compressor(@Nullable Compressor compressor) {
      this.compressor = compressor;
      return this;
    }

    /**
     * Smaller values stay as they are; at least {@value #LEAST_MIN_BYTES}, so that counters stay
     * numbers. {@value #DEFAULT_MIN_BYTES} by default: below, little is gained.
     */
    public Builder minBytes(int minBytes) {
      this.minBytes = minBytes;
      return this;
    }

    /**
     * The part of a value that must be saved for it to be stored compressed, 0 to 1; 0.1 by
     * default, since to read a compressed value costs time.
     */
    public Builder minGain(double minGain) {
      this.minGain = minGain;
      return this;
    }

    /**
     * The policy.
     *
     * @throws IllegalArgumentException if a limit is out of its range; the message names it
     */
    @CheckReturnValue
    public CompressionPolicy build() {
      return new CompressionPolicy(this);
    }
  }
}
