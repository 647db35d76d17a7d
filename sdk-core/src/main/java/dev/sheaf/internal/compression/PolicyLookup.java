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

  /** The longest prefix first. */
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

  /** The policy that compresses values of this key; null if they stay as they are. */
  @Nullable CompressionPolicy of(byte[] bytes, int start, int end) {
    int found = find(bytes, start, end);
    return found < 0 || policies.get(found).compressor() == null ? null : policies.get(found);
  }

  /** The place of the policy with the longest prefix of this key; -1 if there is none. */
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
   * Whether the value of a key may be stored compressed: by this client, by another with other
   * policies, or under another name before it was renamed. Only a policy that is off says no.
   */
  boolean mayBeCompressed(RespRequest request, int keyIndex) {
    int found = find(request.bytes(), request.start(keyIndex), request.end(keyIndex));
    return found < 0 || policies.get(found).compressor() != null;
  }

  /** Whether a pattern of SORT may stand for a key whose value {@link #mayBeCompressed}. */
  boolean mayCover(RespRequest request, int patternIndex) {
    byte[] bytes = request.bytes();
    int start = request.start(patternIndex);
    int end = start;
    while (end < request.end(patternIndex) && bytes[end] != '*') {
      end++;
    }
    if (end == request.end(patternIndex)) {
      // Without an asterisk it names no other key: #, or nosort.
      return false;
    }
    int found = find(bytes, start, end);
    if (found < 0 || policies.get(found).compressor() != null) {
      return true;
    }
    // Off, unless a longer prefix that the pattern reaches is not.
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
