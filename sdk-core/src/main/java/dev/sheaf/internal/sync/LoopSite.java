// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** What was counted of the loops at one place. Thread-safe. */
final class LoopSite {

  private final List<String> frames;
  private final String command;
  private final LongAdder executions = new LongAdder();
  private final LongAdder calls = new LongAdder();
  private final AtomicInteger longestRun = new AtomicInteger();
  private final AtomicBoolean reported = new AtomicBoolean();

  LoopSite(List<String> frames, String command) {
    this.frames = frames;
    this.command = command;
  }

  void began(int callsSoFar) {
    executions.increment();
    wentOn(callsSoFar, callsSoFar);
  }

  void wentOn(int newCalls, int callsInARow) {
    calls.add(newCalls);
    if (callsInARow > longestRun.get()) {
      // Cheap, and with two threads here at once a little low at worst.
      longestRun.lazySet(callsInARow);
    }
  }

  /** True the first time it is asked. */
  boolean mayReport() {
    return reported.compareAndSet(false, true);
  }

  LoopReport report() {
    long executed = executions.sum();
    // Read after the executions, so that the difference is never too small.
    long called = calls.sum();
    return new LoopReport(
        frames.get(0),
        frames.subList(1, frames.size()),
        command,
        executed,
        called,
        Math.max(0, called - executed),
        null);
  }

  String command() {
    return command;
  }

  /**
   * What there is to say of it.
   *
   * @param remedy what would have saved the round trips
   */
  String text(String remedy) {
    int row = longestRun.get();
    return "Called "
        + command
        + " "
        + row
        + " times in a row from "
        + String.join(" < ", frames)
        + "; "
        + remedy
        + " would have saved "
        + (row - 1)
        + " round trips";
  }
}
