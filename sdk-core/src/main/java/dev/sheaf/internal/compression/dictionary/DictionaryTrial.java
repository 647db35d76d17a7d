// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression.dictionary;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.DictionaryOptions;
import dev.sheaf.internal.compression.algorithm.Algorithm;
import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;
import java.util.function.IntUnaryOperator;

/** Compares dictionaries with the algorithm of a policy, on values that none was trained on. */
final class DictionaryTrial {

  /** The size of the envelope without a dictionary. */
  private static final int ENVELOPE_BYTES = 16;

  /** The size of the envelope with a dictionary. */
  private static final int HEADER_BYTES = 7;

  /**
   * The part of the algorithm's stored size that a dictionary must save, because it is one more
   * thing that must not be lost.
   */
  static final double MIN_SAVING = 0.2;

  /** The first passes warm up. The fastest counts, because the processor is shared. */
  private static final int PASSES = 5;

  private final List<byte[]> values;
  private final DictionaryOptions options;
  private final CompressionPolicy policy;
  private final long originalBytes;
  private final Figures usual;

  DictionaryTrial(List<byte[]> values, CompressionPolicy policy, DictionaryOptions options) {
    this.values = values;
    this.options = options;
    this.policy = policy;
    this.originalBytes = values.stream().mapToLong(value -> value.length).sum();
    this.usual = of(compressor());
  }

  /** The cost of storing all values. */
  record Figures(long storedBytes, long nanos) {}

  /** The signature of {@link Compressor#compress}, of an algorithm or with a dictionary. */
  private interface Compression {
    int run(byte[] source, int offset, int length, byte[] target, int targetOffset);
  }

  private interface Decompression {
    void run(byte[] source, int offset, int length, byte[] target);
  }

  /** Measures a dictionary. */
  Figures of(TrainedDictionary dictionary) {
    ZstdDictionary zstd = dictionary.use();
    return measure(
        HEADER_BYTES, ZstdDictionary::maxCompressedLength, zstd::compress, zstd::decompress);
  }

  /** Measures an algorithm. */
  private Figures of(Compressor compressor) {
    return measure(
        ENVELOPE_BYTES,
        compressor::maxCompressedLength,
        compressor::compress,
        compressor::decompress);
  }

  /** Returns the stored size with each available algorithm, for display. */
  String others() {
    StringJoiner all = new StringJoiner(", ");
    for (Algorithm algorithm : Algorithm.values()) {
      Compressor other = algorithm.orNull();
      if (other != null) {
        all.add(String.format(Locale.ROOT, "%s %.3f", other.name(), ratio(of(other))));
      }
    }
    return all.toString();
  }

  /** Returns stored size by original size. */
  double ratio(Figures figures) {
    return originalBytes == 0 ? 1 : (double) figures.storedBytes() / originalBytes;
  }

  /** Returns whether the savings are worth their time. */
  boolean isWorth(Figures figures) {
    long saved = usual.storedBytes() - figures.storedBytes();
    return saved > 0
        && saved >= MIN_SAVING * usual.storedBytes()
        && figures.nanos() - usual.nanos() <= saved * (double) options.maxNanosPerSavedByte();
  }

  private Figures measure(
      int headerBytes,
      IntUnaryOperator maxCompressedLength,
      Compression compression,
      Decompression decompression) {
    int longest = values.stream().mapToInt(value -> value.length).max().orElse(0);
    byte[] target = new byte[maxCompressedLength.applyAsInt(longest)];
    long stored = 0;
    long nanos = Long.MAX_VALUE;
    for (int pass = 0; pass < PASSES; pass++) {
      long startNanos = System.nanoTime();
      stored = 0;
      for (byte[] value : values) {
        int payload = compression.run(value, 0, value.length, target, 0);
        int ofValue = kept(value, headerBytes + payload);
        if (ofValue < value.length) {
          decompression.run(target, 0, payload, new byte[value.length]);
        }
        stored += ofValue;
      }
      nanos = Math.min(nanos, System.nanoTime() - startNanos);
    }
    return new Figures(stored, nanos);
  }

  @SuppressWarnings("NullAway") // A policy that learns has a compressor.
  private Compressor compressor() {
    return policy.compressor();
  }

  private int kept(byte[] value, int stored) {
    return stored > value.length * (1 - policy.minGain())
        ? value.length
        : Math.min(stored, value.length);
  }
}
