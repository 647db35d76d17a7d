// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.latency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoadTest {

  private final AtomicInteger passed = new AtomicInteger();
  private final Runnable gate = passed::incrementAndGet;

  @Test
  void closedLoad_threads_countsOfTheMeasuredTimeOnly() throws InterruptedException {
    AtomicLong all = new AtomicLong();

    ClosedLoad.Count count =
        ClosedLoad.run(3, Thread::new, () -> all::incrementAndGet, 200, 200, gate);

    assertThat(count.operations()).isPositive().isLessThan(all.get());
    assertThat(passed).hasValue(2);
  }

  @Test
  void closedLoad_alone_countsWholeOperations() {
    AtomicLong all = new AtomicLong();

    ClosedLoad.Count count = ClosedLoad.runAlone(all::incrementAndGet, 5, 5, gate);

    assertThat(count.operations()).isPositive().isLessThan(all.get());
    assertThat(new ClosedLoad.Count(30, 2_000_000_000).perSecond()).isEqualTo(15);
    assertThat(passed).hasValue(2);
  }

  @Test
  void closedLoad_operationFails_saysWhy() {
    assertThatThrownBy(() -> ClosedLoad.run(2, Thread::new, () -> LoadTest::fail, 1, 1, gate))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wrong value");
  }

  @Test
  void openLoad_stalled_countsAllThatWereDue() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(2);
    Runnable both = end::countDown;
    // A single thread, whose first operation lasts until after the measured time.
    Runnable stalls = () -> await(end);

    Histogram times = OpenLoad.run(1, 2_000, () -> stalls, 0, 200, both);

    assertThat(times.getTotalCount()).isGreaterThan(1);
  }

  @Test
  void openLoad_operationFails_saysWhy() {
    assertThatThrownBy(() -> OpenLoad.run(2, 1_000, () -> LoadTest::fail, 20, 20, gate))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("wrong value");
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void fail() {
    throw new IllegalStateException("wrong value");
  }
}
