package dev.sheaf;

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

  /** A longer pause between two calls ends what came before: 100 milliseconds. */
  static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private @Nullable Run @Nullable [] runs;
  private @Nullable Run last;
  private int burst;
  private long lastEndNanos;
  private long waitedNanos;

  /** Counts a call that has returned, and gives the run it belongs to. */
  Run count(Method method, long startNanos, long endNanos) {
    if (startNanos - lastEndNanos > MAX_PAUSE_NANOS) {
      burst++;
    }
    Run run = last;
    if (run == null || !method.equals(run.method)) {
      run = find(method);
      last = run;
    }
    if (run.burst != burst) {
      run.begin(method, burst, startNanos, waitedNanos);
    }
    waitedNanos += endNanos - startNanos;
    lastEndNanos = endNanos;
    run.calls++;
    return run;
  }

  private Run find(Method method) {
    @Nullable Run[] known = runs;
    if (known == null) {
      known = new Run[COMMANDS];
      runs = known;
    }
    // Moves what was found to the front, so that the last is the one called longest ago.
    int i = 0;
    while (i < COMMANDS - 1 && known[i] != null && !isOf(known[i], method)) {
      i++;
    }
    Run found = known[i];
    System.arraycopy(known, 0, known, 1, i);
    if (found == null || !method.equals(found.method)) {
      found = found == null ? new Run() : found;
      found.begin(method, burst, 0, 0);
      found.burst = burst - 1; // It begins anew with the call at hand.
    }
    known[0] = found;
    return found;
  }

  private static boolean isOf(@Nullable Run run, Method method) {
    return run != null && method.equals(run.method);
  }

  /** The time this thread has spent in commands, as far as it was counted. */
  long waitedNanos() {
    return waitedNanos;
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

    @Nullable LoopSite site() {
      return site;
    }

    void site(LoopSite site) {
      this.site = site;
    }

    /**
     * Tells where the latest call came from. If an earlier look saw another place, the run begins
     * with this call.
     *
     * @return whether an earlier look saw the same place
     */
    boolean comesFrom(long stack, long startNanos, long waitedBeforeNanos) {
      if (this.stack == stack) {
        return true;
      }
      if (this.stack != 0) {
        calls = 1;
        site = null;
        this.startNanos = startNanos;
        this.waitedBeforeNanos = waitedBeforeNanos;
      }
      this.stack = stack;
      return false;
    }

    /** Which part of the time since the run began was spent in commands, in percent. */
    long waitingPercent(long waitedNanos, long nowNanos) {
      return 100 * (waitedNanos - waitedBeforeNanos) / Math.max(1, nowNanos - startNanos);
    }
  }
}
