// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.chaos.ChaosChecker.Findings;
import dev.sheaf.testkit.RealRedis;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The chaos on the servers of this machine, for 20 seconds, or for as long as {@code -Dchaos=60m}
 * says: that is the soak. {@code -Dredis.server.path} names servers other than those on the PATH,
 * {@code -Dchaos.seed=1,2} draws other faults, a run for each number, {@code -Dchaos.bulk} says how
 * many threads call for many keys at once, {@code -Dchaos.threads} how many call for one, {@code
 * -Dchaos.virtual=true} makes them virtual, and {@code -Dchaos.record=true} adds the runs to the
 * page on reliability.
 */
@Tag("slow")
class ClusterChaosIT {

  private static final int BULK_THREADS = Integer.getInteger("chaos.bulk", 4);
  private static final long MAX_HEAP_IN_USE = 256L << 20;
  private static final long MAX_HEAP_LEFT = 64L << 20;
  private static final long MAX_FILES_LEFT = 50;

  static LongStream seeds() {
    return Stream.of(System.getProperty("chaos.seed", "22").split(",")).mapToLong(Long::parseLong);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nothingIsLostDoubledOrMixedUp_andNothingIsLeft(long seed) throws Exception {
    RealRedis.require();
    Duration time = Duration.parse("PT" + System.getProperty("chaos", "20s"));
    Leftovers before = Leftovers.now();
    ClusterChaos chaos =
        new ClusterChaos(
            uri -> new SheafClient(uri, ClusterChaos.TIMEOUT, true), BULK_THREADS, seed);
    Findings findings = chaos.run(time);
    System.out.println(
        time + " on " + chaos.server() + ": " + findings.summary() + "; faults " + chaos.faults());
    System.out.println("Left behind by each client: " + chaos.leftovers());
    if (Boolean.getBoolean("chaos.record")) {
      ChaosRecord.add(chaos, seed, time, findings);
    }
    assertThat(findings.calls()).isGreaterThan(ClusterChaos.LEAST_CALLS);
    assertThat(findings.violations).as(findings.summary()).hasValue(0);
    assertThat(findings.heapBytes()).isLessThan(MAX_HEAP_IN_USE);
    List<Leftovers> left = chaos.leftovers();
    Leftovers last = left.get(left.size() - 1);
    assertThat(last.threads()).isSubsetOf(before.threads());
    assertThat(last.openFiles()).isLessThan(before.openFiles() + MAX_FILES_LEFT);
    // The first client also loads classes and fills pools that all clients share.
    assertThat(last.heapBytes()).isLessThan(left.get(0).heapBytes() + MAX_HEAP_LEFT);
  }
}
