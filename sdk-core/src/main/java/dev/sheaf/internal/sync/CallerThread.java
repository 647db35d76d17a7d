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
 * What a client remembers of one thread that calls it: the loops that it is in, and how often it
 * has called the same command in a row. Confined to that thread; to count a call allocates nothing.
 */
public final class CallerThread {

  /**
   * How deeply declared loops may be nested before the outermost reads key by key again, and how
   * many learned ones are followed at once.
   */
  static final int MAX_NESTING = 8;

  /** How many commands a loop may call in turn and still be seen: each has a run of its own. */
  private static final int COMMANDS = 4;

  /** With which call of a run the stack is looked at first. */
  private static final int FIRST_LOOK = LoopSampler.MIN_CALLS / 2;

  /** A longer pause between two calls ends what came before: 100 milliseconds. */
  static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** In the order in which they began. */
  private final List<Held> loops = new ArrayList<>();

  /** The commands, the one called last first. */
  private final @Nullable Run[] runs = new Run[COMMANDS];

  private int mapEachDepth;
  private int burst;
  private long lastStartNanos;
  private long lastEndNanos;
  private long waitedNanos;

  /** Whether it runs a body of {@code Sheaf.mapEach}, whose round trips others share. */
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
   * A loop that the thread is in. A declared one that is left by break goes with its iterator, and
   * takes its items along.
   */
  private static final class Held extends WeakReference<Loop<?>> {

    /** Nothing else holds a learned one; null for a declared one. */
    @SuppressWarnings("unused") // To keep it.
    private final @Nullable Loop<?> learned;

    Held(Loop<?> loop) {
      super(loop);
      this.learned = loop.isDeclared() ? null : loop;
    }
  }

  /** The loops that it is in, as they are now. */
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

  /** It begins a loop. */
  void begin(Loop<?> loop) {
    List<Loop<?>> same =
        loops().stream().filter(other -> other.isDeclared() == loop.isDeclared()).toList();
    if (same.size() == MAX_NESTING) {
      end(same.get(0));
    }
    loops.add(new Held(loop));
  }

  /** A declared loop begins or goes on, so those that were declared inside its body are over. */
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

  /** A loop is over. */
  void end(Loop<?> loop) {
    if (loops.removeIf(held -> held.get() == loop)) {
      loop.end();
    }
  }

  /**
   * What was read ahead for a key, to be handed out once; null if the server has to be asked. A
   * declared loop whose key this is has the last word: what an outer one holds is older.
   *
   * @param rest what follows the key
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

  /** The declared loop that this key is read for; null if it is read for none. */
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
   * It is about to see more of a key than what was read ahead.
   *
   * @param by the command, if it is one that is read ahead
   */
  void forget(@Nullable AheadRead by, int cell) {
    loops().forEach(loop -> loop.forget(by, cell, Long.MAX_VALUE));
  }

  /** Nothing that was read ahead for learned loops is handed out any more. */
  void dropLearned() {
    for (Loop<?> loop : loops()) {
      if (!loop.isDeclared()) {
        loop.closeWindow();
      }
    }
  }

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
  void found(Run run, LoopSampler.Site site) {
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

    /** Whether it may be a loop, or is known as one. */
    boolean isOfInterest() {
      return site != null || isLookDue();
    }

    /** Whether to look where its latest call came from: with each doubling. */
    boolean isLookDue() {
      return calls >= FIRST_LOOK && Integer.bitCount(calls) == 1;
    }

    LoopSampler.@Nullable Site site() {
      return site;
    }
  }
}
