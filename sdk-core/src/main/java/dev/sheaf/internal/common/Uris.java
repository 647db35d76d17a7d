// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.lettuce.core.RedisURI;
import java.time.Duration;

/** Copies of URIs, for the client. */
public final class Uris {

  private Uris() {}

  /** The URI with another time-out. Lettuce's own way to copy one forgets its Sentinels. */
  public static RedisURI withTimeout(RedisURI uri, Duration timeout) {
    RedisURI.Builder copy = RedisURI.builder(uri).withTimeout(timeout);
    if (!uri.getSentinels().isEmpty()) {
      copy.withSentinelMasterId(uri.getSentinelMasterId());
      uri.getSentinels().forEach(copy::withSentinel);
    }
    return copy.build();
  }
}
