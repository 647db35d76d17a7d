// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.compression.Compressor;
import dev.sheaf.internal.command.RespRequest;
import dev.sheaf.internal.compression.CompressionMeters.Skipped;
import dev.sheaf.internal.compression.algorithm.ZstdDictionary;
import dev.sheaf.internal.compression.dictionary.DictionaryService;
import dev.sheaf.internal.compression.dictionary.PolicyDictionary;
import dev.sheaf.internal.compression.dictionary.TrainedDictionary;
import org.jspecify.annotations.Nullable;

/** Converts values to their stored form. Thread-safe. */
final class ValueEncoder {

  /** Returned by {@link #encode} if a value is stored unchanged. */
  static final int UNCHANGED = -1;

  private final PolicyLookup policies;
  private final DictionaryService dictionaries;
  private final CompressionMeters meters;

  ValueEncoder(
      CompressionOptions options, DictionaryService dictionaries, CompressionMeters meters) {
    this.dictionaries = dictionaries;
    this.policies = new PolicyLookup(options.policies());
    this.meters = meters;
  }

  PolicyLookup policies() {
    return policies;
  }

  /**
   * Encodes a value.
   *
   * @param keys the array that contains the key
   * @param scratch receives the result
   * @return the number of bytes written to scratch, or {@link #UNCHANGED}
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
   * Rejects the comparison of a value with a stored one that can be compressed.
   *
   * @param who the command, for the message
   * @param keys the array that contains the key
   * @param length the length of the value
   * @throws CompressionRefusedException if the stored value can be compressed
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

  /** Encodes a value without compressing it. */
  int escape(byte[] bytes, int start, int length, Scratch scratch) {
    if (!Envelope.looksLikeOne(bytes, start, length)) {
      return UNCHANGED;
    }
    byte[] target = scratch.ofAtLeast(Envelope.HEADER_BYTES + (long) length);
    System.arraycopy(bytes, start, target, Envelope.HEADER_BYTES, length);
    Envelope.writeHeader(target, Envelope.STORED, length, length);
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
      meters.skipped(Skipped.SMALL);
      return UNCHANGED;
    }
    if (isNumber(bytes, start, length)) {
      meters.skipped(Skipped.NUMBER);
      return UNCHANGED;
    }
    PolicyDictionary learner =
        PolicyDictionary.suits(length) ? dictionaries.of(policy, keys, keyStart, keyEnd) : null;
    if (learner != null) {
      learner.sees(bytes, start, length);
    }
    return compress(policy, learner, bytes, start, length, scratch);
  }

  @SuppressWarnings("NullAway") // A policy that was found has a compressor.
  private int compress(
      CompressionPolicy policy,
      @Nullable PolicyDictionary learner,
      byte[] bytes,
      int start,
      int length,
      Scratch scratch) {
    Compressor compressor = policy.compressor();
    TrainedDictionary dictionary = learner == null ? null : dictionaries.toWrite(learner);
    long startNanos = System.nanoTime();
    int stored =
        dictionary == null
            ? run(compressor, bytes, start, length, scratch)
            : run(dictionary.use(), bytes, start, length, scratch);
    if (learner != null && dictionary != null) {
      learner.compressed(length, Math.min(stored, length));
    }
    if (stored > length * (1 - policy.minGain()) || stored >= length) {
      meters.skippedNoGain(startNanos);
      return UNCHANGED;
    }
    if (dictionary == null) {
      int payload = stored - Envelope.HEADER_BYTES;
      Envelope.writeHeader(scratch.buffer(), compressor.id(), length, payload);
    } else {
      CompactEnvelope.writeHeader(scratch.buffer());
      dictionaries.meters().written();
    }
    meters.compressed(policy, length, stored, startNanos);
    return stored;
  }

  private static int run(
      Compressor compressor, byte[] bytes, int start, int length, Scratch scratch) {
    int header = Envelope.HEADER_BYTES;
    try {
      byte[] target = scratch.ofAtLeast(header + (long) compressor.maxCompressedLength(length));
      return header + compressor.compress(bytes, start, length, target, header);
    } catch (LinkageError e) {
      throw new IllegalStateException(
          "The library of " + compressor.name() + " cannot be loaded: " + e, e);
    }
  }

  private static int run(
      ZstdDictionary dictionary, byte[] bytes, int start, int length, Scratch scratch) {
    int header = CompactEnvelope.HEADER_BYTES;
    byte[] target = scratch.ofAtLeast(header + (long) ZstdDictionary.maxCompressedLength(length));
    return header + dictionary.compress(bytes, start, length, target, header);
  }

  /** INCRBYFLOAT also works on long numbers. */
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
