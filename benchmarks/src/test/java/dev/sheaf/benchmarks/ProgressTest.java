package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProgressTest {

  @Test
  void left_slowerThanPlanned_expectsTheSameOfTheRest() {
    assertThat(Progress.left(1_000, 0, 50)).isEqualTo(1_000);
    assertThat(Progress.left(1_000, 400, 800)).isEqualTo(1_200);
    assertThat(Progress.left(1_000, 1_000, 3_000)).isZero();
  }

  @Test
  void inWords_anyTime_roundsToWhatHelps() {
    assertThat(Progress.inWords(42_400)).isEqualTo("42 s");
    assertThat(Progress.inWords(89_000)).isEqualTo("1 min");
    assertThat(Progress.inWords(1_680_000)).isEqualTo("28 min");
  }
}
