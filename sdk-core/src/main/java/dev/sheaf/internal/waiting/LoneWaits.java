package dev.sheaf.internal.waiting;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whether a caller who is alone should yield until his reply is there, instead of
 * parking.
 *
 * <p>While he parks, a processor has nothing to do and goes to sleep, and to wake it, for the event
 * loop and then for him, may take longer than the server takes to answer. A caller who yields keeps
 * it awake and gives it to the event loop when that has something to do. It costs nobody anything
 * where the processor would be idle, and holds the caller up where others want it. So some waits
 * are timed with and without, and yielding stays while it makes them clearly shorter.
 *
 * <p>Callers are alone who have written to the socket themselves; of several who yield, each keeps
 * the event loop from the processors.
 *
 * <p>Thread-safe.
 */
public final class LoneWaits {

  /** About what a reply to a hundred reads takes nearby. Who waits longer gains little. */
  static final long MAX_YIELD_NANOS = TimeUnit.MICROSECONDS.toNanos(250);

  /** A longer wait tells no more: the command blocks, or the program was held up. */
  static final long LONGEST_COUNTED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** How many waits are timed for an opinion. */
  static final int SAMPLE_WAITS = 32;

  /** How long an opinion in favour holds, if waits stay as short. */
  static final int WAITS_UNTIL_CHECK = 8_192;

  /** How many waits there are before a trial: at first, and after many that failed. */
  static final int FEWEST_WAITS_BETWEEN_TRIALS = 512;

  static final int MOST_WAITS_BETWEEN_TRIALS = 16_384;

  /** More than waits differ from one moment to the next on their own. */
  private static final double CLEARLY_SHORTER = 1.2;

  private static final ThreadLocal<@Nullable LoneWaits> OF_WRITER = new ThreadLocal<>();

  private enum Phase {
    PARKING,
    /** Parks, and times it. */
    COMPARING,
    TRYING,
    /** Times parking once more: what was held up before the trial shall not speak for it. */
    CONFIRMING,
    YIELDING
  }

  private final boolean enabled;
  private Phase phase = Phase.PARKING;
  private int waitsLeft = FEWEST_WAITS_BETWEEN_TRIALS;
  private int waitsBetweenTrials = FEWEST_WAITS_BETWEEN_TRIALS;
  private int sampleWaits;
  private long sampleNanos;

  /** What a sample of waits took parking, and what yielding, when they were last timed. */
  private long parkedNanos;

  private long yieldedNanos;

  /**
   * Begins with parking.
   *
   * @param enabled whether anybody may ever yield
   */
  LoneWaits(boolean enabled) {
    this.enabled = enabled;
  }

  /** The current thread is alone: it has just written what it will wait for. */
  public void written() {
    if (enabled) {
      OF_WRITER.set(this);
    }
  }

  /**
   * Begins the wait of the current thread for a reply, which yields if the thread is alone and that
   * is thought to be quicker; the caller parks if the reply is not there afterwards.
   *
   * @param timeoutNanos how long it will wait at most
   * @return to be ended with the wait; null if the thread is not alone
   */
  public static @Nullable Wait begin(Future<?> reply, long timeoutNanos) {
    LoneWaits lone = OF_WRITER.get();
    if (lone == null) {
      return null;
    }
    OF_WRITER.remove();
    Wait wait = new Wait(lone, lone.yields(), System.nanoTime());
    if (wait.yields) {
      wait.yieldUntilDone(reply, Math.min(MAX_YIELD_NANOS, timeoutNanos));
    }
    return wait;
  }

  /** The wait of a thread that is alone. */
  public static final class Wait {

    private final LoneWaits lone;
    private final boolean yields;
    private final long beganNanos;

    private Wait(LoneWaits lone, boolean yields, long beganNanos) {
      this.lone = lone;
      this.yields = yields;
      this.beganNanos = beganNanos;
    }

    private void yieldUntilDone(Future<?> reply, long longestNanos) {
      while (!reply.isDone() && System.nanoTime() - beganNanos < longestNanos) {
        Thread.yield();
      }
    }
  }

  /** The reply is there, or the thread waits no longer. */
  public static void end(@Nullable Wait wait) {
    if (wait != null) {
      wait.lone.waited(System.nanoTime() - wait.beganNanos, wait.yields);
    }
  }

  /** Whether the next wait shall yield. */
  synchronized boolean yields() {
    return phase == Phase.TRYING || phase == Phase.YIELDING;
  }

  /** Takes note of a wait. */
  synchronized void waited(long nanos, boolean yielding) {
    if (yielding != yields()) {
      // It began before the last opinion was formed.
      return;
    }
    waitsLeft--;
    if (phase == Phase.PARKING) {
      if (waitsLeft <= 0) {
        enter(Phase.COMPARING, SAMPLE_WAITS);
      }
      return;
    }
    sampleWaits++;
    sampleNanos += Math.min(nanos, LONGEST_COUNTED_NANOS);
    if (phase == Phase.TRYING && isNotWorthIt(sampleNanos)) {
      reject();
    } else if (sampleWaits == SAMPLE_WAITS) {
      conclude();
    }
  }

  private void conclude() {
    switch (phase) {
      case COMPARING -> {
        parkedNanos = sampleNanos;
        enter(Phase.TRYING, SAMPLE_WAITS);
      }
      case TRYING -> {
        yieldedNanos = sampleNanos;
        enter(Phase.CONFIRMING, SAMPLE_WAITS);
      }
      case CONFIRMING -> {
        parkedNanos = Math.min(parkedNanos, sampleNanos);
        if (isNotWorthIt(yieldedNanos)) {
          reject();
        } else {
          enter(Phase.YIELDING, WAITS_UNTIL_CHECK);
        }
      }
      default -> {
        if (sampleNanos > parkedNanos) {
          park(FEWEST_WAITS_BETWEEN_TRIALS);
        } else if (waitsLeft <= 0) {
          enter(Phase.COMPARING, SAMPLE_WAITS);
        } else {
          beginSample();
        }
      }
    }
  }

  private boolean isNotWorthIt(long nanosYielding) {
    return nanosYielding * CLEARLY_SHORTER > parkedNanos;
  }

  private void reject() {
    park(Math.min(2 * waitsBetweenTrials, MOST_WAITS_BETWEEN_TRIALS));
  }

  private void park(int waits) {
    waitsBetweenTrials = waits;
    enter(Phase.PARKING, waits);
  }

  private void enter(Phase next, int waits) {
    phase = next;
    waitsLeft = waits;
    beginSample();
  }

  private void beginSample() {
    sampleWaits = 0;
    sampleNanos = 0;
  }
}
