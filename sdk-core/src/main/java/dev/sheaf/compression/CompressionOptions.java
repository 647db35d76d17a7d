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
 * How a client compresses. Immutable; {@link #defaults()} compresses all values with Snappy.
 *
 * <p>To stop compressing, take {@link #readOnly()}, or give no policies and keep the other options:
 * then what is stored compressed stays readable.
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

  /** Snappy for all keys, with the default limits. */
  public static CompressionOptions defaults() {
    return builder().build();
  }

  /** These policies, with the default limits. */
  public static CompressionOptions of(CompressionPolicy... policies) {
    return builder().policies(policies).build();
  }

  /**
   * Compresses nothing, and reads what is compressed. Commands that would work on stored bytes,
   * such as APPEND, are refused; {@code CompressionOptions.of(CompressionPolicy.off(prefix))}
   * allows them where nothing is compressed.
   */
  public static CompressionOptions readOnly() {
    return of();
  }

  /** Begins options with the defaults: Snappy for all keys. */
  public static Builder builder() {
    return new Builder();
  }

  /** Begins options with these. */
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

  /** What is compressed; unmodifiable. */
  public List<CompressionPolicy> policies() {
    return policies;
  }

  /** Algorithms of the application's own that are read; unmodifiable. */
  public List<Compressor> readers() {
    return readers;
  }

  /** The most bytes that one value may have decompressed. */
  public int maxValueBytes() {
    return maxValueBytes;
  }

  /** The most bytes that the values of one reply may have decompressed. */
  public long maxReplyBytes() {
    return maxReplyBytes;
  }

  /** The original size from which on a value is decoded by a thread of the client. */
  public int offLoopBytes() {
    return offLoopBytes;
  }

  /** How many such threads there are at most. */
  public int decodeThreads() {
    return decodeThreads;
  }

  /** How dictionaries are used; null if values that need one are read, and none are written. */
  public @Nullable DictionaryOptions dictionaries() {
    return dictionaries;
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {

    private List<CompressionPolicy> policies = List.of(CompressionPolicy.all(Compressor.snappy()));
    private List<Compressor> readers = List.of();
    private int maxValueBytes = 64 << 20;
    private long maxReplyBytes = 256L << 20;
    private int offLoopBytes = 32 << 10;
    private int decodeThreads = 2;
    private @Nullable DictionaryOptions dictionaries;

    private Builder() {}

    /** What to compress, in place of what was given before; no two of one prefix. */
    public Builder policies(CompressionPolicy... policies) {
      this.policies = List.of(policies);
      return this;
    }

    /**
     * Algorithms of the application's own that are to be read, besides those of the policies and
     * the usual ones.
     */
    public Builder readers(Compressor... readers) {
      this.readers = List.of(readers);
      return this;
    }

    /**
     * The most bytes that one value may have decompressed; 64 MiB by default, far above what a
     * cache should hold. A value that says it has more is an error for its key.
     */
    public Builder maxValueBytes(int maxValueBytes) {
      this.maxValueBytes = maxValueBytes;
      return this;
    }

    /** The most bytes that the values of one reply may have decompressed; 256 MiB by default. */
    public Builder maxReplyBytes(long maxReplyBytes) {
      this.maxReplyBytes = maxReplyBytes;
      return this;
    }

    /**
     * Replies with a compressed value of this original size are decoded by threads of the client
     * and not by the event loop, where others wait; 32 KiB by default, which takes about as long as
     * to hand it over is worth.
     */
    public Builder offLoopBytes(int offLoopBytes) {
      this.offLoopBytes = offLoopBytes;
      return this;
    }

    /** How many such threads there are at most; 2 by default. They end when idle. */
    public Builder decodeThreads(int decodeThreads) {
      this.decodeThreads = decodeThreads;
      return this;
    }

    /**
     * How small values are compressed with trained dictionaries. Without, the client reads what
     * others compress with them, and writes none.
     */
    public Builder dictionaries(DictionaryOptions dictionaries) {
      this.dictionaries = Objects.requireNonNull(dictionaries, "dictionaries");
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException if a limit is out of its range, two policies have one
     *     prefix, or two compressors one identifier; the message names it
     */
    @CheckReturnValue
    public CompressionOptions build() {
      return new CompressionOptions(this);
    }
  }
}
