// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The pauses before attempts to reconnect. Lettuce's own grow to 30 seconds without a random part:
 * servers may long be back by then, and instances that lost one together come back together.
 */
final class ReconnectDelays {

  /** The longest pause before a lost connection is tried again. */
  static final Duration LONGEST = Duration.ofMillis(500);

  /** So many attempts in a row tell Lettuce's own pauses from others. */
  private static final int COMPARED = 20;

  private ReconnectDelays() {}

  /** The pauses of an application, unless they are those that Lettuce has without a choice. */
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
