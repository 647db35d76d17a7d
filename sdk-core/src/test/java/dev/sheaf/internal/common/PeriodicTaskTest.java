// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {

  private final Deque<Runnable> timer = new ArrayDeque<>();
  private final AtomicBoolean shutDown = new AtomicBoolean();
  private final AtomicInteger runs = new AtomicInteger();

  private PeriodicTask task(BooleanSupplier task) {
    return new PeriodicTask(
        (later, nanos) -> {
          assertThat(nanos).isEqualTo(7);
          return !shutDown.get() && timer.add(later);
        },
        7,
        () -> {
          runs.incrementAndGet();
          return task.getAsBoolean();
        });
  }

  @Test
  void runsAgain_asLongAsItAsksForIt_andOnceForManyStarts() {
    PeriodicTask task = task(() -> runs.get() < 3);
    assertThat(timer).isEmpty();
    task.start();
    task.start();
    assertThat(timer).hasSize(1);
    for (int run = 1; run <= 3; run++) {
      timer.remove().run();
      assertThat(timer).as("after run %d", run).hasSize(run < 3 ? 1 : 0);
    }
    task.start();
    assertThat(timer).hasSize(1);
  }

  @Test
  void startWhileItLooks_isNotForgotten() {
    AtomicReference<PeriodicTask> self = new AtomicReference<>();
    self.set(
        task(
            () -> {
              self.get().start();
              return false;
            }));
    self.get().start();
    timer.remove().run();
    assertThat(timer).hasSize(1);
  }

  @Test
  void runThatThrows_isNotTheLast() {
    PeriodicTask task =
        task(
            () -> {
              throw new IllegalStateException("once");
            });
    task.start();
    assertThatThrownBy(timer.remove()::run).hasMessage("once");
    assertThat(timer).hasSize(1);
  }

  @Test
  void timerThatWasShutDown_leavesItStopped_andALaterStartTriesAgain() {
    PeriodicTask task = task(() -> true);
    shutDown.set(true);
    task.start();
    assertThat(timer).isEmpty();
    shutDown.set(false);
    task.start();
    assertThat(timer).hasSize(1);
  }
}
