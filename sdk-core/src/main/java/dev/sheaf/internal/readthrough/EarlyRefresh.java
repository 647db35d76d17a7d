// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import java.util.random.RandomGenerator;

/**
 * The lot drawn on each hit for whether its caller loads the value again although it has not
 * expired yet; the likelier, the nearer the end and the longer a load takes. So one caller in front
 * of the crowd does it while all others are served.
 *
 * <p>This is XFetch of Vattani, Chierichetti and Lowenstein, "Optimal Probabilistic Cache Stampede
 * Prevention", PVLDB 8(8), 2015: load if {@code -duration * beta * ln(random)} reaches the
 * remaining time. The duration is a moving average of this JVM's loads and not kept with each
 * value, so that values need no envelope. Thread-safe; a lost update of the average is harmless.
 */
final class EarlyRefresh {

  private static final double WEIGHT = 0.1;

  private final double beta;
  private final RandomGenerator random;
  private volatile double meanLoadMillis = -1;

  EarlyRefresh(double beta, RandomGenerator random) {
    this.beta = beta;
    this.random = random;
  }

  boolean isOn() {
    return beta > 0;
  }

  void observe(long loadNanos) {
    double millis = loadNanos / 1e6;
    double mean = meanLoadMillis;
    meanLoadMillis = mean < 0 ? millis : mean + WEIGHT * (millis - mean);
  }

  /**
   * Draws for a hit.
   *
   * @param remainingMillis until the value expires; negative if it does not, as PTTL says
   */
  boolean isDue(long remainingMillis) {
    double mean = meanLoadMillis;
    return remainingMillis >= 0
        && mean > 0
        && -mean * beta * Math.log(1 - random.nextDouble()) >= remainingMillis;
  }
}
