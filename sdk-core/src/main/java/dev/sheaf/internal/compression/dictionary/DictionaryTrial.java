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

/** Compares dictionaries with the algorithm of a policy, on values that none was trained on. */
final class DictionaryTrial {

  /** What stands before the payload without a dictionary. */
  private static final int ENVELOPE_BYTES = 16;

  /** What stands before a frame made with a dictionary. */
  private static final int HEADER_BYTES = 7;

  /** The first passes warm up; the fastest counts, because others use the processor too. */
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

  /** What storing all values takes. */
  record Figures(long storedBytes, long nanos) {}

  /** Compresses and restores one value; how much is stored of it. */
  private interface Way {
    int store(byte[] value, byte[] target);
  }

  /** How a dictionary does. */
  Figures of(TrainedDictionary dictionary) {
    ZstdDictionary zstd = dictionary.use();
    return measure((value, target) -> with(zstd, value, target));
  }

  /** How an algorithm does. */
  private Figures of(Compressor compressor) {
    return measure((value, target) -> without(compressor, value, target));
  }

  /** What each algorithm that is there stores of the originals, for people to compare. */
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

  /** How much of the originals is stored. */
  double ratio(Figures figures) {
    return originalBytes == 0 ? 1 : (double) figures.storedBytes() / originalBytes;
  }

  /** Whether what it saves is worth its time. */
  boolean isWorth(Figures figures) {
    long saved = usual.storedBytes() - figures.storedBytes();
    return saved > 0
        && saved >= options.minSaving() * usual.storedBytes()
        && figures.nanos() - usual.nanos() <= saved * (double) options.maxNanosPerSavedByte();
  }

  private Figures measure(Way way) {
    int longest = values.stream().mapToInt(value -> value.length).max().orElse(0);
    byte[] target = new byte[ENVELOPE_BYTES + longestStored(longest)];
    long stored = 0;
    long nanos = Long.MAX_VALUE;
    for (int pass = 0; pass < PASSES; pass++) {
      long startNanos = System.nanoTime();
      stored = 0;
      for (byte[] value : values) {
        stored += way.store(value, target);
      }
      nanos = Math.min(nanos, System.nanoTime() - startNanos);
    }
    return new Figures(stored, nanos);
  }

  private int longestStored(int length) {
    int most =
        Math.max(
            ZstdDictionary.maxCompressedLength(length), compressor().maxCompressedLength(length));
    for (Algorithm algorithm : Algorithm.values()) {
      Compressor other = algorithm.orNull();
      most = other == null ? most : Math.max(most, other.maxCompressedLength(length));
    }
    return most;
  }

  @SuppressWarnings("NullAway") // A policy that learns has a compressor.
  private Compressor compressor() {
    return policy.compressor();
  }

  private int without(Compressor compressor, byte[] value, byte[] target) {
    int payload = compressor.compress(value, 0, value.length, target, 0);
    int stored = kept(value, ENVELOPE_BYTES + payload);
    if (stored < value.length) {
      compressor.decompress(target, 0, payload, new byte[value.length]);
    }
    return stored;
  }

  private int with(ZstdDictionary zstd, byte[] value, byte[] target) {
    int frame = zstd.compress(value, 0, value.length, target, 0);
    int stored = kept(value, HEADER_BYTES + frame);
    if (stored < value.length) {
      zstd.decompress(target, 0, frame, new byte[value.length]);
    }
    return stored;
  }

  private int kept(byte[] value, int stored) {
    return stored > value.length * (1 - policy.minGain())
        ? value.length
        : Math.min(stored, value.length);
  }
}
