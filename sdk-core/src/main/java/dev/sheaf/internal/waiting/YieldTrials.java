package dev.sheaf.internal.waiting;

import java.util.concurrent.TimeUnit;

/**
 * Finds out whether threads that wait for replies should give up the processor a few times before
 * they park.
 *
 * <p>To park a thread and to wake it costs more than all else that a blocking read does. Where many
 * threads do little but wait for the same server, one that yields finds its reply there by the time
 * it is its turn again, and nobody has to wake it. Where other work wants the processors, a thread
 * that yields stands behind that work, while one that is woken would go before it. Which of the two
 * it is depends on the program, the machine and the moment, so it is tried: reads are counted for a
 * moment with and without, and yielding stays only while it serves clearly more.
 *
 * <p>Below {@link #MIN_WAITS_PER_SECOND} nothing is tried: there is nothing to be gained. A trial
 * that fails is repeated after a pause that grows with the time the load has lasted.
 *
 * <p>{@link #yields()} may be called by any thread, all else by one.
 */
final class YieldTrials {

  /** Enough for a turn of each of the threads on its processor, twice, and a moment to spare. */
  static final int YIELDS = 10;

  /** From here on parking costs a third of a processor or more, at about 7 microseconds a time. */
  static final long MIN_WAITS_PER_SECOND = 50_000;

  /** How long rates are counted for, many times as long as any wait that yielding could shorten. */
  static final long EPOCH_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** After a trial that failed, and before the first one when something has changed. */
  static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /**
   * Pauses are this part of the time that the load has lasted: code that is still being compiled
   * wants the processors too, so the first trials of a program tell little.
   */
  private static final int PAUSES_PER_LOAD = 8;

  static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Threads that park are slow to fall into step with those that yield already. */
  private static final int EPOCHS_PER_TRIAL = 5;

  /** How often a decision to yield is looked at again while the rate stays as it is. */
  static final long CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** More than rates differ from one moment to the next on their own. */
  private static final double CLEARLY_MORE = 1.2;

  /** A rate this far below the other one tells enough: of a trial, or that something changed. */
  private static final double FAR_LESS = 0.6;

  private static final double SMOOTHING = 1.0 / 8;

  private enum Phase {
    PARKING,
    TRYING,
    /** Parks once more, so that what merely grew during the trial is not taken for its effect. */
    COMPARING,
    YIELDING,
    /** Parks for a moment, to see whether that would serve as many by now. */
    CHECKING
  }

  private volatile int yields;
  private Phase phase = Phase.PARKING;
  private long epochStartNanos;
  private long epochStartWaits;
  private long nextNanos;
  private int epochsLeft;
  private long loadedSinceNanos;

  /** In waits per nanosecond, as all rates here: while parking, and while yielding. */
  private double parkedRate;

  private double yieldedRate;

  YieldTrials(long nowNanos) {
    this.epochStartNanos = nowNanos;
    this.nextNanos = nowNanos;
    this.loadedSinceNanos = nowNanos;
  }

  /** How often to yield at most before parking; 0 for not at all. */
  int yields() {
    return yields;
  }

  /**
   * Takes note of how many waits there have been. To be called every few milliseconds.
   *
   * @param waits how many there have been since the beginning of time
   */
  void observe(long nowNanos, long waits) {
    long nanos = nowNanos - epochStartNanos;
    if (nanos >= EPOCH_NANOS) {
      double rate = (double) (waits - epochStartWaits) / nanos;
      epochStartNanos = nowNanos;
      epochStartWaits = waits;
      conclude(rate, nowNanos);
    }
  }

  /** Nobody waits any more, so nobody will call for a while. */
  void rest(long nowNanos, long waits) {
    if (phase == Phase.YIELDING) {
      nextNanos = nowNanos + SHORTEST_PAUSE_NANOS;
    }
    enter(Phase.PARKING);
    epochStartNanos = nowNanos;
    epochStartWaits = waits;
  }

  private void conclude(double rate, long now) {
    switch (phase) {
      case PARKING -> {
        if (!isWorthATrial(rate)) {
          loadedSinceNanos = now;
        } else if (now - nextNanos >= 0) {
          parkedRate = rate;
          epochsLeft = EPOCHS_PER_TRIAL;
          enter(Phase.TRYING);
        }
      }
      case TRYING -> {
        yieldedRate = rate;
        epochsLeft--;
        if (isClearlyMore(yieldedRate, parkedRate)) {
          enter(Phase.COMPARING);
        } else if (epochsLeft == 0 || yieldedRate < parkedRate * FAR_LESS) {
          reject(now);
        }
      }
      case COMPARING, CHECKING -> {
        if (isClearlyMore(yieldedRate, rate)) {
          adopt(now);
        } else {
          reject(now);
        }
      }
      case YIELDING -> goOnYielding(rate, now);
    }
  }

  private void goOnYielding(double rate, long now) {
    if (!isWorthATrial(rate) || rate < yieldedRate * FAR_LESS) {
      enter(Phase.PARKING);
      loadedSinceNanos = now;
      nextNanos = now + SHORTEST_PAUSE_NANOS;
      return;
    }
    yieldedRate += (rate - yieldedRate) * SMOOTHING;
    if (now - nextNanos >= 0) {
      enter(Phase.CHECKING);
    }
  }

  private void adopt(long now) {
    enter(Phase.YIELDING);
    nextNanos = now + CHECK_INTERVAL_NANOS;
  }

  private void reject(long now) {
    enter(Phase.PARKING);
    long pause = (now - loadedSinceNanos) / PAUSES_PER_LOAD;
    nextNanos = now + Math.max(SHORTEST_PAUSE_NANOS, Math.min(LONGEST_PAUSE_NANOS, pause));
  }

  private void enter(Phase next) {
    phase = next;
    yields = next == Phase.TRYING || next == Phase.YIELDING ? YIELDS : 0;
  }

  private static boolean isWorthATrial(double rate) {
    return rate * TimeUnit.SECONDS.toNanos(1) >= MIN_WAITS_PER_SECOND;
  }

  private static boolean isClearlyMore(double rate, double other) {
    return rate >= other * CLEARLY_MORE;
  }
}
