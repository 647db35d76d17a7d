// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.common.Pace;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Instances with a connection to each node of a cluster, all of which are lost within 10 ms and can
 * be made again some time later: the attempts to connect and the looks at the topology, in each
 * second after the loss. Time is simulated, and neither the network nor the servers take any; the
 * pauses are those of the client, and so is the coarseness of its timer.
 */
final class SimulatedFleet {

  private static final long MILLI = Duration.ofMillis(1).toNanos();
  private static final long SECOND = Duration.ofSeconds(1).toNanos();
  private static final long LOST_WITHIN = 10 * MILLI;

  /** Of the timer in Lettuce's resources, which runs what is due once in that time. */
  private static final long TICK = 100 * MILLI;

  /** Lettuce's defaults: the attempt that asks for a look, and the time between two looks. */
  private static final int ATTEMPT_THAT_LOOKS = 5;

  private static final long BETWEEN_LOOKS = 5 * SECOND;

  /** Beyond the longest pause. */
  private static final int SECONDS_AFTER = 40;

  final int[] attempts;
  final int[] looks;
  private final long back;
  private long wellAt;

  /** Lets it happen. */
  SimulatedFleet(int instances, int nodes, Duration away, Delay delay, boolean paced) {
    back = away.toNanos();
    attempts = new int[(int) away.toSeconds() + SECONDS_AFTER];
    looks = new int[attempts.length];
    Random random = new Random(22);
    for (int instance = 0; instance < instances; instance++) {
      long firstTick = (long) (random.nextDouble() * TICK);
      long looksFrom = Long.MAX_VALUE;
      long well = 0;
      for (int node = 0; node < nodes; node++) {
        long now = (long) (random.nextDouble() * LOST_WITHIN);
        for (int attempt = 1; now < back; attempt++) {
          long due = now + Math.max(0, delay.createDelay(attempt).toNanos());
          now = firstTick + Math.floorDiv(due - firstTick, TICK) * TICK + TICK;
          attempts[(int) (now / SECOND)]++;
          if (attempt == ATTEMPT_THAT_LOOKS) {
            looksFrom = Math.min(looksFrom, now);
          }
        }
        well = Math.max(well, now);
      }
      look(looksFrom, well, paced, random);
      wellAt = Math.max(wellAt, well);
    }
  }

  private void look(long from, long well, boolean paced, Random random) {
    long[] clock = {0};
    Pace pace =
        new Pace(Duration.ofSeconds(1), Duration.ofMillis(paced ? 200 : 0), () -> clock[0], random);
    for (long now = from; now < well; now += BETWEEN_LOOKS) {
      clock[0] = now;
      looks[(int) ((now + pace.takeTurn()) / SECOND)]++;
    }
  }

  /** The time from the restart until each instance has each of its connections. */
  double wellAfterSeconds() {
    return (double) (wellAt - back) / SECOND;
  }

  /** The attempts of the busiest second, as a multiple of the mean. */
  double greatestToMean() {
    int last = (int) (wellAt / SECOND);
    return Arrays.stream(attempts).max().orElseThrow()
        / IntStream.rangeClosed(0, last).map(i -> attempts[i]).average().orElseThrow();
  }
}
