// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A task that is started while it runs, in all the ways in which a few threads can interleave.
 *
 * <p>Hunted for: work that comes while a run gives up, so that nobody looks at it; and two runs
 * that are scheduled at a time.
 */
@Tag("slow")
class PeriodicTaskInterleavingsTest {

  @Test
  void noInterleaving_leavesWorkBehind() {
    ModelChecking.options()
        .iterations(5)
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(0)
        .actorsAfter(0)
        .check(Work.class);
  }

  /** A timer with room for one run. */
  public static class Work {

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger tooMany = new AtomicInteger();
    private final AtomicReference<Runnable> timer = new AtomicReference<>();
    private final PeriodicTask task =
        new PeriodicTask(
            (run, nanos) -> {
              if (!timer.compareAndSet(null, run)) {
                tooMany.incrementAndGet();
              }
              return true;
            },
            1,
            () -> {
              waiting.set(0);
              return false;
            });

    @Operation
    public void add() {
      waiting.incrementAndGet();
      task.start();
    }

    @Operation(nonParallelGroup = "timer")
    public void tick() {
      Runnable run = timer.getAndSet(null);
      if (run != null) {
        run.run();
      }
    }

    @Validate
    public void whatWaitsIsLookedAt() {
      if (tooMany.get() != 0 || waiting.get() > 0 && timer.get() == null) {
        throw new IllegalStateException(
            waiting.get() + " wait, " + tooMany.get() + " runs too many");
      }
    }
  }
}
