// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client's state for one calling thread: the loops it is in, and its runs of calls of the same
 * command. Confined to that thread; counting a call allocates nothing.
 */
public final class CallerThread {

  /**
   * The depth of nested declared loops beyond which the outermost reads key by key, and the most
   * learned loops to follow at once.
   */
  static final int MAX_NESTING = 8;

  /** How many different commands a loop can call and still be detected: each has its own run. */
  private static final int COMMANDS = 4;

  /** The call of a run at which the stack is first inspected. */
  private static final int FIRST_LOOK = LoopSampler.MIN_CALLS / 2;

  /** A longer pause between two calls ends a run: 100 milliseconds. */
  static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** In the order in which they started. */
  private final List<Held> loops = new ArrayList<>();

  /** The runs, latest first. */
  private final @Nullable Run[] runs = new Run[COMMANDS];

  private int mapEachDepth;
  private int burst;
  private long lastStartNanos;
  private long lastEndNanos;
  private long waitedNanos;

  /** Whether it runs a body of {@code Sheaf.mapEach}, whose round trips are shared. */
  boolean isMapping() {
    return mapEachDepth > 0;
  }

  void beginMapping() {
    mapEachDepth++;
  }

  void endMapping() {
    mapEachDepth--;
  }

  boolean isInLoop() {
    return !loops.isEmpty();
  }

  /**
   * A weak reference to a loop of the thread. A declared loop that is left by break is collected
   * with its iterator and items.
   */
  private static final class Held extends WeakReference<Loop<?>> {

    /** A strong reference to a learned loop, which nothing else holds; null for a declared one. */
    @SuppressWarnings("unused") // To keep it.
    private final @Nullable Loop<?> learned;

    Held(Loop<?> loop) {
      super(loop);
      this.learned = loop.isDeclared() ? null : loop;
    }
  }

  /** The current loops of the thread. */
  List<Loop<?>> loops() {
    List<Loop<?>> held = new ArrayList<>(loops.size());
    for (int i = loops.size() - 1; i >= 0; i--) {
      Loop<?> loop = loops.get(i).get();
      if (loop == null) {
        loops.remove(i);
      } else {
        held.add(0, loop);
      }
    }
    return held;
  }

  /** Starts a loop. */
  void begin(Loop<?> loop) {
    List<Loop<?>> same =
        loops().stream().filter(other -> other.isDeclared() == loop.isDeclared()).toList();
    if (same.size() == MAX_NESTING) {
      end(same.get(0));
    }
    loops.add(new Held(loop));
  }

  /** Starts or continues a declared loop, which ends those declared inside its body. */
  void resume(Loop<?> loop) {
    if (!loops.isEmpty() && loops.get(loops.size() - 1).get() == loop) {
      return;
    }
    List<Loop<?>> held = loops();
    int at = held.indexOf(loop);
    for (int i = at + 1; i < held.size(); i++) {
      Loop<?> other = held.get(i);
      if (at < 0 && other.place() == loop.place()) {
        other.tell(); // It may have been left.
      } else if (at >= 0 && other.isDeclared()) {
        end(other);
      }
    }
    if (at < 0) {
      begin(loop);
    }
  }

  /** Ends a loop. */
  void end(Loop<?> loop) {
    if (loops.removeIf(held -> held.get() == loop)) {
      loop.end();
    }
  }

  /**
   * Takes the value read ahead for a key, once; null if the server must be asked. The innermost
   * declared loop with this key decides, as values of outer loops are older.
   *
   * @param rest the argument after the key
   */
  @Nullable Result<?> take(AheadRead read, Object key, @Nullable Object rest) {
    String text = KeyForm.textOf(key);
    List<Loop<?>> held = loops();
    for (int i = held.size() - 1; i >= 0; i--) {
      Loop<?> loop = held.get(i);
      int index = loop.isOf(read, rest) ? loop.indexOf(key, text) : Loop.NONE;
      if (index != Loop.NONE) {
        int cell = loop.cellOf(index);
        long number = loop.windowNumber();
        Result<?> reply = loop.take(index, key);
        if (reply != null) {
          held.forEach(other -> other.forget(read, cell, number));
          return reply;
        }
        if (loop.isDeclared()) {
          return null;
        }
      }
    }
    return null;
  }

  /** The declared loop that this key belongs to, or null. */
  @Nullable Loop<?> declares(AheadRead read, Object key, @Nullable Object rest) {
    List<Loop<?>> held = loops();
    for (int i = held.size() - 1; i >= 0; i--) {
      Loop<?> loop = held.get(i);
      int index = loop.isDeclared() && loop.isOf(read, rest) ? loop.indexOf(key, null) : Loop.NONE;
      if (index != Loop.NONE) {
        loop.reads(index, System.nanoTime());
        return loop;
      }
    }
    return null;
  }

  /**
   * Drops the value read ahead for a key, because the thread is about to read a newer one.
   *
   * @param by the command, if it can be read ahead
   */
  void forget(@Nullable AheadRead by, int cell) {
    loops().forEach(loop -> loop.forget(by, cell, Long.MAX_VALUE));
  }

  /** Drops all values read ahead for learned loops. */
  void dropLearned() {
    for (Loop<?> loop : loops()) {
      if (!loop.isDeclared()) {
        loop.closeWindow();
      }
    }
  }

  /** Counts a call that has just returned, and returns its run. */
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

  /** Moves the run to the front, so that the last is the least recently called. */
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

  /** Compares identities first: a proxy passes the same object for the same method. */
  @SuppressWarnings("ReferenceEquality")
  private static boolean isOf(Run run, Method method) {
    return run.method == method;
  }

  /**
   * Sets the origin of the latest call. If an earlier inspection saw another place, the run starts
   * again with this call.
   *
   * @return whether an earlier inspection saw the same place
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

  /** The share of time since the start of the run that was spent in commands, in percent. */
  long waitingPercent(Run run) {
    return 100 * (waitedNanos - run.waitedBeforeNanos) / Math.max(1, lastEndNanos - run.startNanos);
  }

  /** Marks the run as a loop at this place. */
  void found(Run run, LoopSampler.Site site) {
    run.site = site;
  }

  /** A run of calls of one command. */
  static final class Run {

    private @Nullable Method method;
    private int burst;
    private int calls;
    private long startNanos;
    private long waitedBeforeNanos;

    /** The hash of the calls' origin; 0 before the first inspection. */
    private long stack;

    private LoopSampler.@Nullable Site site;

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

    /** Whether it may be or is a loop. */
    boolean isOfInterest() {
      return site != null || isLookDue();
    }

    /** Whether to inspect the origin of the latest call: at each doubling of the run. */
    boolean isLookDue() {
      return calls >= FIRST_LOOK && Integer.bitCount(calls) == 1;
    }

    LoopSampler.@Nullable Site site() {
      return site;
    }
  }
}
