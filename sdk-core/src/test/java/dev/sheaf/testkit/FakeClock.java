// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import dev.sheaf.internal.common.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A clock that only the test moves; what is due runs when it does. Not thread-safe. */
public final class FakeClock implements Timer {

  private record Task(long at, Runnable task) {}

  private final List<Task> tasks = new ArrayList<>();

  /** Near the end of what a long holds, which System.nanoTime may be. */
  private long now = Long.MAX_VALUE - 1_000;

  public long now() {
    return now;
  }

  /** Whether nothing is to run later. */
  public boolean isIdle() {
    return tasks.isEmpty();
  }

  @Override
  public boolean after(Runnable task, long nanos) {
    tasks.add(new Task(now + Math.max(0, nanos), task));
    return true;
  }

  public void pass(Duration time) {
    long end = now + time.toNanos();
    while (true) {
      Task next = tasks.stream().min(Comparator.comparingLong(task -> task.at - end)).orElse(null);
      if (next == null || next.at - end > 0) {
        break;
      }
      tasks.remove(next);
      now = next.at - now > 0 ? next.at : now;
      next.task.run();
    }
    now = end;
  }
}
