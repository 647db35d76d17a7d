package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LatencyHistogramTest {

  private final LatencyHistogram times = new LatencyHistogram();

  @Test
  void percentile_evenlySpread_isExactToThreePercent() {
    for (int i = 1; i <= 100_000; i++) {
      times.add(i * 1_000L);
    }

    assertThat(times.percentile(0.5) / 5e7).isCloseTo(1, within(0.032));
    assertThat(times.percentile(0.99) / 9.9e7).isCloseTo(1, within(0.032));
    assertThat(times.percentile(1)).isEqualTo(100_000_000);
    assertThat(times.longest()).isEqualTo(100_000_000);
  }

  @Test
  void percentile_smallTimes_areExact() {
    for (int i = 0; i < 10; i++) {
      times.add(i);
    }

    assertThat(times.percentile(0.5)).isEqualTo(4);
    assertThat(times.count()).isEqualTo(10);
  }

  @Test
  void add_anyTime_hasAPlace() {
    for (long time = 1; time > 0; time <<= 1) {
      times.add(time);
      times.add(time - 1);
    }
    times.add(Long.MAX_VALUE);
    times.add(-1);

    assertThat(times.percentile(1)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void addAll_another_sumsCountsAndKeepsTheLongest() {
    LatencyHistogram other = new LatencyHistogram();
    other.add(5_000);
    times.add(10);
    times.addAll(other);

    assertThat(times.count()).isEqualTo(2);
    assertThat(times.longest()).isEqualTo(5_000);
  }
}
