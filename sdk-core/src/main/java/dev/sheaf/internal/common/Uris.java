// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.lettuce.core.RedisURI;
import java.time.Duration;

/** Copies Redis URIs. */
public final class Uris {

  private Uris() {}

  /** A copy with another time-out. Lettuce's own copy loses the Sentinels. */
  public static RedisURI withTimeout(RedisURI uri, Duration timeout) {
    RedisURI.Builder copy = RedisURI.builder(uri).withTimeout(timeout);
    if (!uri.getSentinels().isEmpty()) {
      copy.withSentinelMasterId(uri.getSentinelMasterId());
      uri.getSentinels().forEach(copy::withSentinel);
    }
    return copy.build();
  }
}
