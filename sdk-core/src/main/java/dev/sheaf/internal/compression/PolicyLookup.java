// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.internal.command.RespRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the policy of a key. Immutable. */
final class PolicyLookup {

  /** Sorted by length of the prefix, the longest first. */
  private final List<CompressionPolicy> policies;

  private final byte[][] prefixes;

  PolicyLookup(List<CompressionPolicy> policies) {
    this.policies =
        policies.stream()
            .sorted(Comparator.comparingInt(policy -> -prefix(policy).length))
            .toList();
    this.prefixes = this.policies.stream().map(PolicyLookup::prefix).toArray(byte[][]::new);
  }

  private static byte[] prefix(CompressionPolicy policy) {
    return policy.prefix().getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the policy that compresses values of this key; null if they are not compressed. */
  @Nullable CompressionPolicy of(byte[] bytes, int start, int end) {
    int found = find(bytes, start, end);
    return found < 0 || policies.get(found).compressor() == null ? null : policies.get(found);
  }

  /** Returns the index of the policy with the longest prefix of this key; -1 for none. */
  private int find(byte[] bytes, int start, int end) {
    for (int i = 0; i < prefixes.length; i++) {
      byte[] prefix = prefixes[i];
      if (end - start >= prefix.length
          && Arrays.equals(bytes, start, start + prefix.length, prefix, 0, prefix.length)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns whether the value of a key can be stored compressed: by this client, by another one
   * with other policies, or under an earlier name of the key. Only a policy that is off rules that
   * out.
   */
  boolean mayBeCompressed(RespRequest request, int keyIndex) {
    int found = find(request.bytes(), request.start(keyIndex), request.end(keyIndex));
    return found < 0 || policies.get(found).compressor() != null;
  }

  /** Returns whether a pattern of SORT can match a key whose value {@link #mayBeCompressed}. */
  boolean mayCover(RespRequest request, int patternIndex) {
    byte[] bytes = request.bytes();
    int start = request.start(patternIndex);
    int end = start;
    while (end < request.end(patternIndex) && bytes[end] != '*') {
      end++;
    }
    if (end == request.end(patternIndex)) {
      // Without an asterisk it matches no other key: #, or nosort.
      return false;
    }
    int found = find(bytes, start, end);
    if (found < 0 || policies.get(found).compressor() != null) {
      return true;
    }
    // The policy is off, unless the pattern can match a longer prefix whose policy is not.
    for (int i = 0; i < found; i++) {
      if (policies.get(i).compressor() != null
          && prefixes[i].length >= end - start
          && Arrays.equals(bytes, start, end, prefixes[i], 0, end - start)) {
        return true;
      }
    }
    return false;
  }
}
