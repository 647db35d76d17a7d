// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.compression;

import static dev.sheaf.internal.common.OptionChecks.within;

import dev.sheaf.CheckReturnValue;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The compression options of a client. Immutable. {@link #defaults()} compresses all values with
 * Snappy.
 *
 * <p>To stop compressing, use {@link #readOnly()}, or keep the other options without policies:
 * stored compressed values stay readable.
 */
public final class CompressionOptions {

  private static final int MAX_DECODE_THREADS = 256;

  private final List<CompressionPolicy> policies;
  private final List<Compressor> readers;
  private final int maxValueBytes;
  private final long maxReplyBytes;
  private final int offLoopBytes;
  private final int decodeThreads;
  private final @Nullable DictionaryOptions dictionaries;

  private CompressionOptions(Builder builder) {
    this.policies = List.copyOf(builder.policies);
    this.readers = List.copyOf(builder.readers);
    this.maxValueBytes =
        (int) within(1, Integer.MAX_VALUE - 64, "maxValueBytes", builder.maxValueBytes);
    this.maxReplyBytes = within(1, Long.MAX_VALUE, "maxReplyBytes", builder.maxReplyBytes);
    this.offLoopBytes = (int) within(0, Integer.MAX_VALUE, "offLoopBytes", builder.offLoopBytes);
    this.decodeThreads =
        (int) within(1, MAX_DECODE_THREADS, "decodeThreads", builder.decodeThreads);
    this.dictionaries = builder.dictionaries;
    Set<String> prefixes = new HashSet<>();
    for (CompressionPolicy policy : policies) {
      if (!prefixes.add(policy.prefix())) {
        throw new IllegalArgumentException(
            "There are two policies for the prefix \"" + policy.prefix() + "\"; give one");
      }
    }
  }

  /** Returns Snappy for all keys, with the default limits. */
  public static CompressionOptions defaults() {
    return builder().build();
  }

  /** Returns options with these policies and the default limits. */
  public static CompressionOptions of(CompressionPolicy... policies) {
    return builder().policies(policies).build();
  }

  /**
   * Returns options that read compressed values and compress none. Commands that work on stored
   * bytes, such as APPEND, are refused. {@code
   * CompressionOptions.of(CompressionPolicy.off(prefix))} allows them for keys whose values are
   * never compressed.
   */
  public static CompressionOptions readOnly() {
    return of();
  }

  /** Creates a builder with the defaults: Snappy for all keys. */
  public static Builder builder() {
    return new Builder();
  }

  /** Creates a builder with these options. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.policies = policies;
    builder.readers = readers;
    builder.maxValueBytes = maxValueBytes;
    builder.maxReplyBytes = maxReplyBytes;
    builder.offLoopBytes = offLoopBytes;
    builder.decodeThreads = decodeThreads;
    builder.dictionaries = dictionaries;
    return builder;
  }

  /** Returns the policies; unmodifiable. */
  public List<CompressionPolicy> policies() {
    return policies;
  }

  /** Returns the application's own algorithms that can be read; unmodifiable. */
  public List<Compressor> readers() {
    return readers;
  }

  /** Returns the most decompressed bytes of one value. */
  public int maxValueBytes() {
    return maxValueBytes;
  }

  /** Returns the most decompressed bytes of the values of one reply. */
  public long maxReplyBytes() {
    return maxReplyBytes;
  }

  /** Returns the original size from which a value is decoded on a decoding thread of the client. */
  public int offLoopBytes() {
    return offLoopBytes;
  }

  /** Returns the most decoding threads. */
  public int decodeThreads() {
    return decodeThreads;
  }

  /** Returns how dictionaries are used; null if they are only read. */
  public @Nullable DictionaryOptions dictionaries() {
    return dictionaries;
  }

  /** A builder of options. Not thread-safe. */
  public static final class Builder {

    private List<CompressionPolicy> policies = List.of(CompressionPolicy.all(Compressor.snappy()));
    private List<Compressor> readers = List.of();
    private int maxValueBytes = 64 << 20;
    private long maxReplyBytes = 256L << 20;
    private int offLoopBytes = 32 << 10;
    private int decodeThreads = 2;
    private @Nullable DictionaryOptions dictionaries;

    private Builder() {}

    /** Sets the policies, replacing earlier ones. Prefixes must differ. */
    public Builder policies(CompressionPolicy... policies) {
      this.policies = List.of(policies);
      return this;
    }

    /**
     * Sets the application's own algorithms to read, in addition to those of the policies and the
     * built-in ones.
     */
    public Builder readers(Compressor... readers) {
      this.readers = List.of(readers);
      return this;
    }

    /**
     * Sets the most decompressed bytes of one value; 64 MiB by default, far above what a cache
     * should hold. A value that claims more is an error for its key.
     */
    public Builder maxValueBytes(int maxValueBytes) {
      this.maxValueBytes = maxValueBytes;
      return this;
    }

    /** Sets the most decompressed bytes of the values of one reply; 256 MiB by default. */
    public Builder maxReplyBytes(long maxReplyBytes) {
      this.maxReplyBytes = maxReplyBytes;
      return this;
    }

    /**
     * Sets the original size from which replies are decoded on decoding threads instead of the
     * event loop, where other replies wait; 32 KiB by default. Decoding less takes about as long as
     * the hand-over.
     */
    public Builder offLoopBytes(int offLoopBytes) {
      this.offLoopBytes = offLoopBytes;
      return this;
    }

    /** Sets the most decoding threads; 2 by default. They end when idle. */
    public Builder decodeThreads(int decodeThreads) {
      this.decodeThreads = decodeThreads;
      return this;
    }

    /**
     * Sets how small values are compressed with trained Zstandard dictionaries. Without it, the
     * client reads values that others compressed with dictionaries, and writes none.
     */
    public Builder dictionaries(DictionaryOptions dictionaries) {
      this.dictionaries = Objects.requireNonNull(dictionaries, "dictionaries");
      return this;
    }

    /**
     * Creates the options.
     *
     * @throws IllegalArgumentException if a limit is out of its range, two policies have the same
     *     prefix, or two compressors the same identifier; the message names it
     */
    @CheckReturnValue
    public CompressionOptions build() {
      return new CompressionOptions(this);
    }
  }
}
