// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.compression.Compressor;
import dev.sheaf.internal.command.RespRequest;
import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import dev.sheaf.internal.compression.dictionary.PolicyDictionary;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import org.jspecify.annotations.Nullable;

/** Makes of a value what is stored of it. Thread-safe. */
final class ValueEncoder {

  /** What {@link #encode} returns for a value that is stored as it is. */
  static final int UNCHANGED = -1;

  private final PolicyLookup policies;
  private final @Nullable LearnedSkips skips;
  private final DictionaryService dictionaries;
  private final CompressionMeters meters;

  ValueEncoder(
      CompressionOptions options, DictionaryService dictionaries, CompressionMeters meters) {
    this.dictionaries = dictionaries;
    this.policies = new PolicyLookup(options.policies());
    this.skips = options.learning() ? new LearnedSkips() : null;
    this.meters = meters;
  }

  PolicyLookup policies() {
    return policies;
  }

  /**
   * Encodes a value.
   *
   * @param keys the array with the key
   * @param scratch where the result is written
   * @return how many bytes of the scratch are the result, or {@link #UNCHANGED}
   */
  int encode(
      byte[] keys, int keyStart, int keyEnd, byte[] bytes, int start, int end, Scratch scratch) {
    CompressionPolicy policy = policies.of(keys, keyStart, keyEnd);
    int length = end - start;
    if (policy != null) {
      int compressed = compress(policy, keys, keyStart, keyEnd, bytes, start, length, scratch);
      if (compressed != UNCHANGED) {
        return compressed;
      }
    }
    return escape(bytes, start, length, scratch);
  }

  /**
   * Refuses to compare a value with what is stored, if that may be compressed.
   *
   * @param who compares, for the message
   * @param keys the array with the key
   * @param length of the value
   * @throws CompressionRefusedException if so
   */
  void requireComparable(String who, byte[] keys, int keyStart, int keyEnd, int length) {
    CompressionPolicy policy = policies.of(keys, keyStart, keyEnd);
    if (policy != null && length >= policy.minBytes()) {
      throw new CompressionRefusedException(
          who
              + " compares "
              + length
              + " bytes with what is stored under "
              + RespRequest.shown(keys, keyStart, keyEnd)
              + ", which may be compressed, so they might never be equal. Values below minBytes="
              + policy.minBytes()
              + " can be compared; exclude other keys with CompressionPolicy.off(prefix)");
    }
  }

  /** Encodes a value that is not to be compressed. */
  int escape(byte[] bytes, int start, int length, Scratch scratch) {
    if (!Envelope.looksLikeOne(bytes, start, length)) {
      return UNCHANGED;
    }
    byte[] target = scratch.ofAtLeast(Envelope.HEADER_BYTES + (long) length);
    System.arraycopy(bytes, start, target, Envelope.HEADER_BYTES, length);
    Envelope.writeHeader(target, 0, Envelope.STORED, length, length);
    return Envelope.HEADER_BYTES + length;
  }

  private int compress(
      CompressionPolicy policy,
      byte[] keys,
      int keyStart,
      int keyEnd,
      byte[] bytes,
      int start,
      int length,
      Scratch scratch) {
    if (length < policy.minBytes()) {
      meters.skippedSmall();
      return UNCHANGED;
    }
    if (isNumber(bytes, start, length)) {
      meters.skippedNumber();
      return UNCHANGED;
    }
    PolicyDictionary learner =
        PolicyDictionary.suits(length) ? dictionaries.of(policy, keys, keyStart, keyEnd) : null;
    if (learner != null) {
      learner.sees(bytes, start, length);
    }
    int cell = skips == null ? 0 : LearnedSkips.cell(keys, keyStart, keyEnd);
    if (skips != null && skips.skip(cell)) {
      meters.skippedLearned();
      return UNCHANGED;
    }
    TrainedDictionary dictionary = learner == null ? null : dictionaries.toWrite(learner);
    int stored =
        learner == null || dictionary == null
            ? compress(policy, bytes, start, length, scratch)
            : compress(policy, learner, dictionary, bytes, start, length, scratch);
    if (skips != null) {
      if (stored == UNCHANGED) {
        skips.didNotCompress(cell);
      } else {
        skips.compressed(cell);
      }
    }
    return stored;
  }

  @SuppressWarnings("NullAway") // A policy that was found has a compressor.
  private int compress(
      CompressionPolicy policy, byte[] bytes, int start, int length, Scratch scratch) {
    Compressor compressor = policy.compressor();
    long startNanos = meters.startNanos();
    int payload = run(compressor, bytes, start, length, scratch);
    int stored = Envelope.HEADER_BYTES + payload;
    if (isNoGain(policy, length, stored)) {
      meters.skippedNoGain(startNanos);
      return UNCHANGED;
    }
    Envelope.writeHeader(scratch.buffer(), 0, compressor.id(), length, payload);
    meters.compressed(policy, length, stored, startNanos);
    return stored;
  }

  private int compress(
      CompressionPolicy policy,
      PolicyDictionary learner,
      TrainedDictionary dictionary,
      byte[] bytes,
      int start,
      int length,
      Scratch scratch) {
    long startNanos = meters.startNanos();
    byte[] target =
        scratch.ofAtLeast(
            CompactEnvelope.HEADER_BYTES + (long) ZstdDictionary.maxCompressedLength(length));
    int stored =
        CompactEnvelope.HEADER_BYTES
            + dictionary.use().compress(bytes, start, length, target, CompactEnvelope.HEADER_BYTES);
    learner.compressed(length, Math.min(stored, length));
    if (isNoGain(policy, length, stored)) {
      meters.skippedNoGain(startNanos);
      return UNCHANGED;
    }
    CompactEnvelope.writeHeader(target);
    meters.compressed(policy, length, stored, startNanos);
    dictionaries.meters().written();
    return stored;
  }

  private static boolean isNoGain(CompressionPolicy policy, int length, int stored) {
    return stored > length * (1 - policy.minGain()) || stored >= length;
  }

  private static int run(
      Compressor compressor, byte[] bytes, int start, int length, Scratch scratch) {
    try {
      byte[] target =
          scratch.ofAtLeast(Envelope.HEADER_BYTES + (long) compressor.maxCompressedLength(length));
      return compressor.compress(bytes, start, length, target, Envelope.HEADER_BYTES);
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "The library of " + compressor.name() + " cannot be loaded: " + e, e);
    }
  }

  /** INCRBYFLOAT works on long numbers too. */
  private static boolean isNumber(byte[] bytes, int start, int length) {
    for (int i = start; i < start + length; i++) {
      byte c = bytes[i];
      boolean ofNumbers =
          (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
      if (!ofNumbers) {
        return false;
      }
    }
    return true;
  }
}
