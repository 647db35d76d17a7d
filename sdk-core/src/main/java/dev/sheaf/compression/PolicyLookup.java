package dev.sheaf.compression;

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
  @Nullable CompressionPolicy of(Request request, int keyIndex) {
    return of(request.bytes(), request.start(keyIndex), request.end(keyIndex));
  }

  /** The policy that compresses values of this key; null if they stay as they are. */
  @Nullable CompressionPolicy of(byte[] bytes, int start, int end) {
    for (int i = 0; i < prefixes.length; i++) {
      byte[] prefix = prefixes[i];
      if (end - start >= prefix.length
          && Arrays.equals(bytes, start, start + prefix.length, prefix, 0, prefix.length)) {
        CompressionPolicy policy = policies.get(i);
        return policy.compressor() == null ? null : policy;
      }
    }
    return null;
  }

  /** Whether a pattern of SORT may stand for a key whose values are compressed. */
  boolean mayCover(Request request, int patternIndex) {
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
    for (int i = 0; i < prefixes.length; i++) {
      int common = Math.min(prefixes[i].length, end - start);
      if (policies.get(i).compressor() != null
          && Arrays.equals(bytes, start, start + common, prefixes[i], 0, common)) {
        return true;
      }
    }
    return false;
  }
}
