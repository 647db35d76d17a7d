package dev.sheaf.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A machine that serves so many reads a second while threads park, and so many while they yield.
 */
class YieldTrialsTest {

  private static final long STEP_NANOS = YieldTrials.EPOCH_NANOS / 2;

  private final YieldTrials trials = new YieldTrials(0);
  private long now;
  private long waits;
  private long parkedPerSecond;
  private long yieldedPerSecond;

  @Test
  void whereYieldingServesMore_itStays() {
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    assertThat(shareOfYielding(TimeUnit.SECONDS.toNanos(60))).isGreaterThan(0.98);
  }

  @Test
  void whereYieldingServesLess_itIsTriedLessAndLessOften() {
    machine(100_000, 20_000);
    run(TimeUnit.SECONDS.toNanos(60));
    assertThat(shareOfYielding(TimeUnit.SECONDS.toNanos(600))).isBetween(0.002, 0.005);
  }

  @Test
  void whereItMakesNoDifference_threadsPark() {
    machine(100_000, 110_000);
    run(TimeUnit.SECONDS.toNanos(60));
    assertThat(shareOfYielding(TimeUnit.SECONDS.toNanos(600))).isLessThan(0.021);
  }

  /** Threads that are parked must be woken before they can yield. */
  @Test
  void gainThatComesLate_isNotMissed() {
    machine(100_000, 90_000);
    run(4 * YieldTrials.EPOCH_NANOS);
    assertThat(trials.yields()).as("a trial that goes on").isPositive();
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    assertThat(shareOfYielding(TimeUnit.SECONDS.toNanos(60))).isGreaterThan(0.98);
  }

  @Test
  void whereLittleIsRead_nothingIsTried() {
    machine(YieldTrials.MIN_WAITS_PER_SECOND - 1_000, 1_000_000);
    assertThat(shareOfYielding(TimeUnit.SECONDS.toNanos(60))).isZero();
  }

  @Test
  void whenOtherWorkArrives_yieldingEndsAtOnce() {
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    assertThat(trials.yields()).isEqualTo(YieldTrials.YIELDS);
    machine(80_000, 10_000);
    run(2 * YieldTrials.EPOCH_NANOS);
    assertThat(trials.yields()).isZero();
    assertThat(shareOfYielding(TimeUnit.SECONDS.toNanos(60))).isLessThan(0.03);
  }

  @Test
  void whenOtherWorkIsOver_threadsYieldAgainWithinTheLongestPause() {
    machine(100_000, 20_000);
    run(TimeUnit.SECONDS.toNanos(600));
    machine(100_000, 300_000);
    run(YieldTrials.LONGEST_PAUSE_NANOS + TimeUnit.SECONDS.toNanos(1));
    assertThat(trials.yields()).isEqualTo(YieldTrials.YIELDS);
  }

  /** Parking may have become as good, with more processors for example; the rate does not tell. */
  @Test
  void whenParkingCatchesUp_theNextCheckNotices() {
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    machine(300_000, 300_000);
    run(YieldTrials.CHECK_INTERVAL_NANOS + TimeUnit.SECONDS.toNanos(1));
    assertThat(trials.yields()).isZero();
  }

  /** A load that just grew would look as if yielding had done it. */
  @Test
  void growthDuringATrial_isNotTakenForItsEffect() {
    machine(100_000, 300_000);
    run(YieldTrials.EPOCH_NANOS);
    assertThat(trials.yields()).as("a trial").isPositive();
    machine(300_000, 300_000);
    run(5 * YieldTrials.EPOCH_NANOS);
    assertThat(trials.yields()).isZero();
  }

  @Test
  void whenTheLoadEnds_threadsPark() {
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    machine(1_000, 1_000);
    run(2 * YieldTrials.EPOCH_NANOS);
    assertThat(trials.yields()).isZero();
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    assertThat(trials.yields()).isPositive();
    trials.rest(now, waits);
    assertThat(trials.yields()).isZero();
  }

  @Test
  void afterAMomentWithoutReaders_yieldingComesBackSoon() {
    machine(100_000, 300_000);
    run(TimeUnit.SECONDS.toNanos(1));
    trials.rest(now, waits);
    run(TimeUnit.SECONDS.toNanos(1));
    assertThat(trials.yields()).isPositive();
  }

  private void machine(long parkedPerSecond, long yieldedPerSecond) {
    this.parkedPerSecond = parkedPerSecond;
    this.yieldedPerSecond = yieldedPerSecond;
  }

  private void run(long nanos) {
    shareOfYielding(nanos);
  }

  private double shareOfYielding(long nanos) {
    long end = now + nanos;
    int steps = 0;
    int yielding = 0;
    while (now < end) {
      boolean yields = trials.yields() > 0;
      steps++;
      yielding += yields ? 1 : 0;
      now += STEP_NANOS;
      waits += (yields ? yieldedPerSecond : parkedPerSecond) * STEP_NANOS / 1_000_000_000;
      trials.observe(now, waits);
    }
    return (double) yielding / steps;
  }
}
