package dev.sheaf.compression;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * How a client compresses. Immutable; {@link #defaults()} compresses all values with Snappy, the
 * {@code with} methods change one thing.
 *
 * <p>To stop compressing, give no policies ({@link #readOnly()}) and keep the options: then what is
 * stored compressed stays readable.
 *
 * @param policies what to compress; no two of one prefix
 * @param readers algorithms of the application's own that are to be read, besides those of the
 *     policies and the usual ones
 * @param learning whether values of keys that begin alike are left as they are once 16 in a row did
 *     not compress; one in 128 is tried again. On by default
 * @param maxValueBytes the most bytes that one value may have decompressed; 64 MiB by default, far
 *     above what a cache should hold. A value that says it has more is an error for its key
 * @param maxReplyBytes the most bytes that the values of one reply may have decompressed; 256 MiB
 *     by default
 * @param offLoopBytes replies with a compressed value of this original size are decoded by threads
 *     of the client and not by the event loop, where others wait; 32 KiB by default, which takes
 *     about as long as to hand it over is worth
 * @param decodeThreads how many such threads there are at most; 2 by default. They end when idle
 */
public record CompressionOptions(
    List<CompressionPolicy> policies,
    List<Compressor> readers,
    boolean learning,
    int maxValueBytes,
    long maxReplyBytes,
    int offLoopBytes,
    int decodeThreads) {

  /** The {@link #maxValueBytes()} unless given. */
  public static final int DEFAULT_MAX_VALUE_BYTES = 64 << 20;

  /** The {@link #maxReplyBytes()} unless given. */
  public static final long DEFAULT_MAX_REPLY_BYTES = 256L << 20;

  /** The {@link #offLoopBytes()} unless given. */
  public static final int DEFAULT_OFF_LOOP_BYTES = 32 << 10;

  /** The {@link #decodeThreads()} unless given. */
  public static final int DEFAULT_DECODE_THREADS = 2;

  private static final int MAX_DECODE_THREADS = 256;

  /**
   * Checks the options.
   *
   * @throws IllegalArgumentException if a limit is out of its range, two policies have one prefix,
   *     or two compressors one identifier; the message names it
   */
  public CompressionOptions {
    policies = List.copyOf(policies);
    readers = List.copyOf(readers);
    requireRange("maxValueBytes", maxValueBytes, 1, Integer.MAX_VALUE - 64);
    requireRange("maxReplyBytes", maxReplyBytes, 1, Long.MAX_VALUE);
    requireRange("offLoopBytes", offLoopBytes, 0, Integer.MAX_VALUE);
    requireRange("decodeThreads", decodeThreads, 1, MAX_DECODE_THREADS);
    Set<String> prefixes = new HashSet<>();
    for (CompressionPolicy policy : policies) {
      if (!prefixes.add(policy.prefix())) {
        throw new IllegalArgumentException(
            "There are two policies for the prefix \"" + policy.prefix() + "\"; give one");
      }
    }
  }

  private static void requireRange(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be from " + min + " to " + max + ", but was " + value);
    }
  }

  /** Snappy for all keys, with the limits named above. */
  public static CompressionOptions defaults() {
    return readOnly().withPolicies(CompressionPolicy.all(Compressors.snappy()));
  }

  /**
   * Compresses nothing, and reads what is compressed. Commands that would work on stored bytes,
   * such as APPEND, are refused; {@code readOnly().withPolicies(CompressionPolicy.off(prefix))}
   * allows them where nothing is compressed.
   */
  public static CompressionOptions readOnly() {
    return new CompressionOptions(
        List.of(),
        List.of(),
        true,
        DEFAULT_MAX_VALUE_BYTES,
        DEFAULT_MAX_REPLY_BYTES,
        DEFAULT_OFF_LOOP_BYTES,
        DEFAULT_DECODE_THREADS);
  }

  /** These options with other policies. */
  public CompressionOptions withPolicies(CompressionPolicy... policies) {
    return new CompressionOptions(
        List.of(policies),
        readers,
        learning,
        maxValueBytes,
        maxReplyBytes,
        offLoopBytes,
        decodeThreads);
  }

  /** These options with other algorithms of the application's own to read. */
  public CompressionOptions withReaders(Compressor... readers) {
    return new CompressionOptions(
        policies,
        List.of(readers),
        learning,
        maxValueBytes,
        maxReplyBytes,
        offLoopBytes,
        decodeThreads);
  }

  /** These options with learning on or off. */
  public CompressionOptions withLearning(boolean learning) {
    return new CompressionOptions(
        policies, readers, learning, maxValueBytes, maxReplyBytes, offLoopBytes, decodeThreads);
  }

  /** These options with other bounds for what is decompressed. */
  public CompressionOptions withMaxBytes(int maxValueBytes, long maxReplyBytes) {
    return new CompressionOptions(
        policies, readers, learning, maxValueBytes, maxReplyBytes, offLoopBytes, decodeThreads);
  }

  /** These options with another size and number of threads for decoding beside the event loop. */
  public CompressionOptions withOffLoop(int offLoopBytes, int decodeThreads) {
    return new CompressionOptions(
        policies, readers, learning, maxValueBytes, maxReplyBytes, offLoopBytes, decodeThreads);
  }
}
