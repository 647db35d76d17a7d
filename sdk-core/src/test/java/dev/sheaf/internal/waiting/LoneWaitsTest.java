package dev.sheaf.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller whose waits take so long while he parks, and so long while he yields. */
class LoneWaitsTest {

  private static final int MANY = 1_000_000;

  private final LoneWaits lone = new LoneWaits(true);
  private long parkedNanos;
  private long yieldedNanos;

  @AfterEach
  void forgetThisThread() {
    LoneWaits.end(LoneWaits.begin(CompletableFuture.completedFuture(null), 0));
  }

  @Test
  void whereYieldingIsClearlyShorter_itStays() {
    machine(80_000, 45_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 4 * LoneWaits.SAMPLE_WAITS);
    assertThat(yieldsOf(MANY) / (double) MANY).isGreaterThan(0.98);
  }

  @Test
  void whereItIsLonger_itIsTriedLessAndLessOften_andGivenUpAtOnce() {
    machine(80_000, 3_000_000);
    assertThat(yieldsOf(MANY))
        .as("three yields at most of each trial")
        .isLessThan(3 * (10 + MANY / LoneWaits.MOST_WAITS_BETWEEN_TRIALS));
  }

  @Test
  void whereItMakesNoDifference_callersPark() {
    machine(1_200_000, 1_200_000);
    assertThat(yieldsOf(MANY) / (double) MANY).isLessThan(0.003);
  }

  @Test
  void whatIsALittleShorter_isNotWorthAProcessor() {
    machine(80_000, 70_000);
    assertThat(yieldsOf(MANY) / (double) MANY).isLessThan(0.003);
  }

  @Test
  void whenOtherWorkArrives_yieldingEndsWithinASample() {
    machine(80_000, 45_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 4 * LoneWaits.SAMPLE_WAITS);
    assertThat(lone.yields()).isTrue();
    machine(80_000, 3_000_000);
    assertThat(yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS))
        .isLessThanOrEqualTo(LoneWaits.SAMPLE_WAITS);
  }

  @Test
  void whenItGoesAway_yieldingComesBack() {
    machine(80_000, 3_000_000);
    yieldsOf(MANY);
    machine(80_000, 45_000);
    yieldsOf(2 * LoneWaits.MOST_WAITS_BETWEEN_TRIALS);
    assertThat(lone.yields()).isTrue();
  }

  @Test
  void longerWaitsThanBefore_areLookedAtAnew() {
    machine(80_000, 45_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 4 * LoneWaits.SAMPLE_WAITS);
    machine(250_000, 190_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 5 * LoneWaits.SAMPLE_WAITS);
    assertThat(lone.yields()).isTrue();
  }

  /** A blocking pop may take minutes; it tells nothing about the others. */
  @Test
  void oneWaitThatLastsVeryLong_doesNotSpeakForYielding() {
    machine(80_000, 80_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 1);
    lone.waited(TimeUnit.MINUTES.toNanos(5), false);
    assertThat(yieldsOf(10 * LoneWaits.SAMPLE_WAITS)).isLessThanOrEqualTo(LoneWaits.SAMPLE_WAITS);
  }

  @Test
  void oneWaitThatLastsVeryLong_doesNotEndYielding() {
    machine(80_000, 45_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 4 * LoneWaits.SAMPLE_WAITS);
    lone.waited(TimeUnit.MINUTES.toNanos(5), true);
    yieldsOf(LoneWaits.SAMPLE_WAITS);
    assertThat(lone.yields()).isTrue();
  }

  @Test
  void onlyWhoHasWrittenHimself_isAlone_andOnlyForOneWait() {
    CompletableFuture<String> reply = CompletableFuture.completedFuture("reply");
    assertThat(LoneWaits.begin(reply, 1)).isNull();
    lone.written();
    assertThat(LoneWaits.begin(reply, 1)).isNotNull();
    assertThat(LoneWaits.begin(reply, 1)).isNull();
  }

  @Test
  void switchedOff_nobodyIsAlone() {
    new LoneWaits(false).written();
    assertThat(LoneWaits.begin(CompletableFuture.completedFuture("reply"), 1)).isNull();
  }

  /** A reply that does not come: the wait returns, for the caller to park. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void yieldingEnds_ifThereIsNoReply() {
    machine(80_000, 45_000);
    yieldsOf(LoneWaits.FEWEST_WAITS_BETWEEN_TRIALS + 4 * LoneWaits.SAMPLE_WAITS);
    lone.written();
    CompletableFuture<String> never = new CompletableFuture<>();
    LoneWaits.Wait wait = LoneWaits.begin(never, Long.MAX_VALUE);
    assertThat(wait).isNotNull();
    LoneWaits.end(wait);
  }

  private void machine(long parked, long yielded) {
    parkedNanos = parked;
    yieldedNanos = yielded;
  }

  /** How many of the next waits yield. */
  private int yieldsOf(int waits) {
    int yielded = 0;
    for (int i = 0; i < waits; i++) {
      boolean yields = lone.yields();
      lone.waited(yields ? yieldedNanos : parkedNanos, yields);
      if (yields) {
        yielded++;
      }
    }
    return yielded;
  }
}
