// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The delays before attempts to reconnect. Lettuce's default grows to 30 seconds without jitter:
 * servers may be back long before, and instances that lost a server together reconnect together.
 */
final class ReconnectDelays {

  /** The longest delay before an attempt. */
  static final Duration LONGEST = Duration.ofMillis(500);

  /** How many delays to compare, to recognise Lettuce's default. */
  private static final int COMPARED = 20;

  private ReconnectDelays() {}

  /** The delays that the application chose, or these ones in place of Lettuce's default. */
  static Delay over(Delay given) {
    Delay usual = Delay.exponential();
    for (int attempt = 1; attempt <= COMPARED; attempt++) {
      if (!given.createDelay(attempt).equals(usual.createDelay(attempt))) {
        return given;
      }
    }
    return Delay.fullJitter(Duration.ofMillis(1), LONGEST, 1, TimeUnit.MILLISECONDS);
  }
}
