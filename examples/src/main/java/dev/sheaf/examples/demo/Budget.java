package dev.sheaf.examples.demo;

import java.time.Duration;

/**
 * How long each way of an experiment is run. A run that has begun is finished.
 *
 * @param warmUp a way is warmed up for this long or {@code warmUpRuns} runs, whichever is first
 * @param measured a way is measured for this long or {@code maxRuns} runs, whichever is first, but
 *     at least {@code minRuns} runs
 */
record Budget(Duration warmUp, int warmUpRuns, Duration measured, int minRuns, int maxRuns) {

  /** The median of 3 to 15 runs; all experiments together take about half a minute at 1 ms. */
  static final Budget DEFAULT =
      new Budget(Duration.ofMillis(600), 60, Duration.ofSeconds(1), 3, 15);
}
