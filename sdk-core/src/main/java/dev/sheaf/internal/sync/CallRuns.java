// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How often one thread has called the same command in a row. Confined to that thread; a call
 * allocates nothing.
 *
 * <p>A loop may call a few commands in turn, so the last {@value #COMMANDS} are counted side by
 * side.
 */
final class CallRuns {

  /** How many commands a loop may call in turn and still be seen. */
  private static final int COMMANDS = 4;

  /** With which call of a run the stack is looked at first. */
  private static final int FIRST_LOOK = LoopSampler.MIN_CALLS / 2;

  /** A longer pause between two calls ends what came before: 100 milliseconds. */
  static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The commands, the one called last first. */
  private final @Nullable Run[] runs = new Run[COMMANDS];

  private int burst;
  private long lastStartNanos;
  private long lastEndNanos;
  private long waitedNanos;

  /** Counts a call that has just returned, and gives the run it belongs to. */
  Run count(Method method, long startNanos, long endNanos) {
    if (startNanos - lastEndNanos > MAX_PAUSE_NANOS) {
      burst++;
    }
    Run run = runs[0];
    if (run == null || !isOf(run, method)) {
      run = find(method);
    }
    if (run.burst != burst) {
      run.begin(method, burst, startNanos, waitedNanos);
    }
    waitedNanos += endNanos - startNanos;
    lastEndNanos = endNanos;
    lastStartNanos = startNanos;
    run.calls++;
    return run;
  }

  /** Moves what it finds to the front, so that the last is the one called longest ago. */
  private Run find(Method method) {
    int i = 0;
    while (i < COMMANDS - 1 && isOther(runs[i], method)) {
      i++;
    }
    Run found = runs[i];
    System.arraycopy(runs, 0, runs, 1, i);
    if (found == null || !isOf(found, method)) {
      found = found == null ? new Run() : found;
      found.burst = burst - 1; // It begins anew with the call at hand.
    }
    runs[0] = found;
    return found;
  }

  private static boolean isOther(@Nullable Run run, Method method) {
    return run != null && !isOf(run, method);
  }

  /** A proxy gives the same object for the same method; to compare them deeply takes longer. */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isOf(Run run, Method method) {
    return run.method == method;
  }

  /**
   * Tells where the latest call came from. If an earlier look saw another place, the run begins
   * with this call.
   *
   * @return whether an earlier look saw the same place
   */
  boolean cameFrom(Run run, long stack) {
    if (run.stack == stack) {
      return true;
    }
    if (run.stack != 0) {
      run.calls = 1;
      run.site = null;
      run.startNanos = lastStartNanos;
      run.waitedBeforeNanos = waitedNanos - (lastEndNanos - lastStartNanos);
    }
    run.stack = stack;
    return false;
  }

  /** Which part of the time since the run began was spent in commands, in percent. */
  long waitingPercent(Run run) {
    return 100 * (waitedNanos - run.waitedBeforeNanos) / Math.max(1, lastEndNanos - run.startNanos);
  }

  /** From now on the run is known as a loop at this place. */
  void found(Run run, LoopSite site) {
    run.site = site;
  }

  /** Calls of one command in a row. */
  static final class Run {

    private @Nullable Method method;
    private int burst;
    private int calls;
    private long startNanos;
    private long waitedBeforeNanos;

    /** The stack that the calls came from, 0 while nobody has looked. */
    private long stack;

    private @Nullable LoopSite site;

    private void begin(Method method, int burst, long startNanos, long waitedBeforeNanos) {
      this.method = method;
      this.burst = burst;
      this.startNanos = startNanos;
      this.waitedBeforeNanos = waitedBeforeNanos;
      calls = 0;
      stack = 0;
      site = null;
    }

    int calls() {
      return calls;
    }

    /** Whether it may be a loop, or is known as one. */
    boolean isOfInterest() {
      return site != null || isLookDue();
    }

    /** Whether to look where its latest call came from: with each doubling. */
    boolean isLookDue() {
      return calls >= FIRST_LOOK && Integer.bitCount(calls) == 1;
    }

    @Nullable LoopSite site() {
      return site;
    }
  }
}
