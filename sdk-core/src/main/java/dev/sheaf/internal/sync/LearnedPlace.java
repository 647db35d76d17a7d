// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import dev.sheaf.LoopReport.Learned;
import dev.sheaf.LoopReport.Learned.State;
import java.util.Arrays;
import java.util.List;

/**
 * What is known of the loops that one place in the code runs with keys of one source: whether they
 * go where it was foreseen, how long they are, and what reading ahead was worth.
 *
 * <p>Thread-safe.
 */
final class LearnedPlace {

  /** How many loops in a row must be foreseen before keys are read ahead. */
  static final int PROOFS = 3;

  /** A shorter loop proves nothing. */
  static final int MIN_READS = 4;

  /** Which part of the keys between its first and its last a loop must read, in percent. */
  private static final int MIN_DENSITY = 75;

  /** How many loops tell how long the next one is. */
  private static final int LENGTHS = 4;

  /** Reads before what was in vain is judged. */
  private static final int MIN_JUDGED = 64;

  /** Older reads count half when so many have gathered. */
  private static final int MAX_JUDGED = 2_048;

  /** Beyond the length that was foreseen, so many reads earn one that is made ahead. */
  private static final int CAUTION = 8;

  /** Bytes of replies that a window should not exceed, judged by those before: 256 KiB. */
  private static final long MAX_WINDOW_BYTES = 256 << 10;

  /** Stands for a loop that read its source to the end. */
  private static final int TO_THE_END = Integer.MAX_VALUE;

  private final List<String> frames;
  private final String command;
  private final String keys;
  private final int maxVainPercent;

  // Guarded by this.
  private final int[] lengths = new int[LENGTHS];
  private int loops;
  private int proofs;
  private long hits;
  private long vain;
  private long judged;
  private long judgedVain;
  private long bytesPerKey = 1;
  private int keysInTime = Integer.MAX_VALUE;
  private boolean unordered;
  private State state = State.LEARNING;

  /**
   * Begins with nothing known.
   *
   * @param frames the call site and its callers
   * @param keys what the keys are
   * @param maxVainPercent which share of the reads may be in vain
   */
  LearnedPlace(List<String> frames, String command, String keys, int maxVainPercent) {
    this.frames = frames;
    this.command = command;
    this.keys = keys;
    this.maxVainPercent = maxVainPercent;
  }

  List<String> frames() {
    return frames;
  }

  String command() {
    return command;
  }

  synchronized boolean isReadingAhead() {
    return state == State.READING_AHEAD;
  }

  /** Whether its loops read the keys of their source in no order. */
  synchronized boolean isUnordered() {
    return unordered;
  }

  /**
   * A loop is over.
   *
   * @param reads how many keys of the source it read
   * @param span how many keys there were from the first to the last that it read
   * @param toTheEnd whether it read the source to its end
   * @param shuffled whether it read them in another order
   * @return whether this made the place one that reads ahead
   */
  synchronized boolean ended(int reads, int span, boolean toTheEnd, boolean shuffled) {
    lengths[loops++ % LENGTHS] = toTheEnd ? TO_THE_END : reads;
    if (reads < MIN_READS || state == State.STOPPED) {
      return false;
    }
    if (100L * reads < (long) MIN_DENSITY * span) {
      proofs = 0;
      state = State.LEARNING;
      return false;
    }
    unordered = shuffled;
    proofs++;
    if (state == State.LEARNING && proofs >= PROOFS) {
      state = State.READING_AHEAD;
      return true;
    }
    return false;
  }

  /**
   * How many keys a loop is to read ahead now: as many as the latest loops would have read; 0 if
   * none.
   *
   * @param reads how many it has read
   */
  synchronized int windowKeys(int reads) {
    if (state != State.READING_AHEAD) {
      return 0;
    }
    int known = Math.min(loops, LENGTHS);
    int shortest = Arrays.stream(lengths, 0, known).min().orElse(0);
    int foreseen =
        shortest == TO_THE_END ? Integer.MAX_VALUE : Math.max(shortest - reads, reads / CAUTION);
    long affordable = Math.max(1, MAX_WINDOW_BYTES / bytesPerKey);
    return (int)
        Math.min(Math.min(foreseen, affordable), Math.min(keysInTime, LoopHabits.MAX_WINDOW_KEYS));
  }

  /**
   * A window holds nothing any more.
   *
   * @param read how many keys were read ahead
   * @param used how many of them were handed out
   * @param bytes the mean size of a reply
   * @param late whether the loop was too slow for it
   * @return whether this made the place stop
   */
  synchronized boolean windowClosed(int read, int used, long bytes, boolean late) {
    hits += used;
    vain += read - used;
    // What was too much at once is asked for in smaller portions, and so proves nothing yet: the
    // first loops of a JVM are slow.
    boolean shrinks = late && used < read && read > 1;
    judged += shrinks ? used : read;
    judgedVain += shrinks ? 0 : read - used;
    bytesPerKey =
        Math.max(1, Math.max(bytes, bytesPerKey - bytesPerKey / LoopHabits.WINDOW_GROWTH));
    if (late && used < read) {
      keysInTime = Math.max(1, used * 3 / 4);
    } else if (used == read && keysInTime < LoopHabits.MAX_WINDOW_KEYS) {
      // By half: one stall of the machine must not cost many round trips afterwards.
      keysInTime += Math.max(1, keysInTime / 2);
    }
    boolean stops =
        state == State.READING_AHEAD
            && judged >= MIN_JUDGED
            && 100 * judgedVain > judged * maxVainPercent;
    if (stops) {
      state = State.STOPPED;
    }
    if (judged >= MAX_JUDGED) {
      judged /= 2;
      judgedVain /= 2;
    }
    return stops;
  }

  /** What there is to say when it stops. */
  synchronized String stopText() {
    return "Reads nothing ahead any more for "
        + command
        + " from "
        + String.join(" < ", frames)
        + ", as "
        + judgedVain
        + " of the last "
        + judged
        + " reads ahead were in vain; LoopLearning.maxVainPercent is "
        + maxVainPercent;
  }

  synchronized Learned learned() {
    return new Learned(keys, state, loops, hits, vain);
  }

  /** For a place that the detector does not know. */
  synchronized LoopReport report() {
    return new LoopReport(
        frames.get(0), frames.subList(1, frames.size()), command, loops, hits, 0, learned());
  }
}
