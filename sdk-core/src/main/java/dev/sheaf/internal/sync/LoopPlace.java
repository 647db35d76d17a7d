// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import dev.sheaf.LoopReport.Learned;
import dev.sheaf.LoopReport.Learned.State;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What has been learned of the loops at one place in the code: their length, the benefit of reading
 * ahead, and, for undeclared loops, whether their keys are predicted correctly.
 *
 * <p>Thread-safe.
 */
final class LoopPlace {

  /** How many loops in a row must be predicted before keys are read ahead. */
  static final int PROOFS = 3;

  /** Shorter loops do not count as predicted. */
  static final int MIN_READS = 4;

  /** The percentage of the keys between its first and last that a loop must read to count. */
  private static final int MIN_DENSITY = 75;

  /** How many past loops predict the length of the next one. */
  private static final int LENGTHS = 4;

  /** The number of reads before the share of unused ones is judged. */
  private static final int MIN_JUDGED = 64;

  /** Once this many reads are counted, older ones count half. */
  private static final int MAX_JUDGED = 2_048;

  /** Beyond the predicted length, this many used reads allow one more to be read ahead. */
  private static final int CAUTION = 8;

  /**
   * The first window of a declared loop while little is known, and its window after few values were
   * used: little is lost if the loop ends early.
   */
  static final int CAUTIOUS_KEYS = 16;

  /** The growth of a declared loop's windows while their values are used. */
  private static final int GROWTH = 4;

  /** The most keys of one round trip: the loop then needs a few hundredths of its round trips. */
  static final int MAX_WINDOW_KEYS = 256;

  /** The target for the bytes of replies in a window, estimated from earlier ones: 1 MiB. */
  private static final long MAX_WINDOW_BYTES = 1 << 20;

  /** The weight of a smaller reply size; a larger one counts at once. */
  private static final int SMOOTHING = 4;

  /** The length of a loop that read its source to the end. */
  private static final int TO_THE_END = Integer.MAX_VALUE;

  private final List<String> frames;
  private final String command;
  private final String keys;
  private final int maxVainPercent;
  private final boolean declared;

  private final @Nullable Runnable whenProven;

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
  private State state;

  /**
   * Creates a place with nothing learned.
   *
   * @param frames the call site and its callers
   * @param keys a description of the keys
   * @param maxVainPercent the highest share of unused reads
   * @param whenProven called when it starts to read ahead; null for declared loops, which read
   *     ahead from the start
   */
  LoopPlace(
      List<String> frames,
      String command,
      String keys,
      int maxVainPercent,
      @Nullable Runnable whenProven) {
    this.frames = frames;
    this.command = command;
    this.keys = keys;
    this.maxVainPercent = maxVainPercent;
    this.whenProven = whenProven;
    this.declared = whenProven == null;
    this.state = declared ? State.READING_AHEAD : State.LEARNING;
  }

  /** Returns the place of declared loops. */
  LoopPlace() {
    this(List.of(), "", "", 100, null);
  }

  List<String> frames() {
    return frames;
  }

  String command() {
    return command;
  }

  boolean isDeclared() {
    return declared;
  }

  synchronized boolean isReadingAhead() {
    return state == State.READING_AHEAD;
  }

  /** Returns whether its loops read the keys of their source in another order. */
  synchronized boolean isUnordered() {
    return unordered;
  }

  /**
   * Called when a loop has ended.
   *
   * @param reads the number of keys of the source that it read
   * @param span the number of keys between the first and the last of them, inclusive
   * @param toTheEnd whether it read the source to its end
   * @param shuffled whether it read them in another order
   */
  void ended(int reads, int span, boolean toTheEnd, boolean shuffled) {
    if (learn(reads, span, toTheEnd, shuffled) && whenProven != null) {
      whenProven.run();
    }
  }

  private synchronized boolean learn(int reads, int span, boolean toTheEnd, boolean shuffled) {
    boolean dense = 100L * reads >= (long) MIN_DENSITY * span;
    lengths[loops++ % LENGTHS] = toTheEnd && dense ? TO_THE_END : reads;
    if (declared || reads < MIN_READS || state == State.STOPPED) {
      return false;
    }
    if (!dense) {
      proofs = 0;
      state = State.LEARNING;
      return false;
    }
    unordered = shuffled;
    proofs++;
    boolean proven = state == State.LEARNING && proofs >= PROOFS;
    if (proven) {
      state = State.READING_AHEAD;
    }
    return proven;
  }

  /**
   * Returns how many keys a loop should read ahead now: as many as the latest loops would have
   * read; 0 for none. A declared loop continues beyond that with growing windows.
   *
   * @param reads the number of its reads, including the current key
   * @param position the position of the current key, starting at 1
   * @param paid whether its previous window, if any, was used
   */
  synchronized int windowKeys(int reads, int position, boolean paid) {
    if (state != State.READING_AHEAD) {
      return 0;
    }
    int known = Math.min(loops, LENGTHS);
    int shortest = Arrays.stream(lengths, 0, known).min().orElse(0);
    int foreseen = shortest == TO_THE_END ? MAX_WINDOW_KEYS : shortest - reads;
    if (declared) {
      int grown = Math.max(CAUTIOUS_KEYS, GROWTH * Math.min(position - 1, MAX_WINDOW_KEYS));
      foreseen = paid ? Math.max(foreseen, grown - 1) : CAUTIOUS_KEYS - 1;
    } else {
      foreseen = Math.max(foreseen, reads / CAUTION);
    }
    // Includes the current key, which the loop reads itself.
    long affordable = Math.max(1, MAX_WINDOW_BYTES / bytesPerKey - 1);
    return (int)
        Math.min(Math.min(foreseen, affordable), Math.min(keysInTime, MAX_WINDOW_KEYS - 1));
  }

  synchronized long bytesPerKey() {
    return bytesPerKey;
  }

  /**
   * Called when a window has ended.
   *
   * @param read the number of keys that were read ahead
   * @param used the number of them that were handed out
   * @param bytes the mean size of a reply
   * @param late whether values expired because the loop was too slow
   * @return whether the place now stops reading ahead
   */
  synchronized boolean windowClosed(int read, int used, long bytes, boolean late) {
    if (read == 0) {
      return false;
    }
    hits += used;
    vain += read - used;
    // Loops that are too slow for their window get smaller ones. That does not count against the
    // place: the first loops of a JVM are slow.
    boolean shrinks = late && used < read && read > 1;
    judged += shrinks ? used : read;
    judgedVain += shrinks ? 0 : read - used;
    bytesPerKey = Math.max(1, Math.max(bytes, bytesPerKey - bytesPerKey / SMOOTHING));
    if (late && used < read) {
      keysInTime = Math.max(1, used * 3 / 4);
    } else if (used == read && keysInTime < MAX_WINDOW_KEYS) {
      // Halved, so that one pause of the machine does not cost many round trips later.
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

  /** Describes why it has stopped. */
  synchronized String stopText() {
    return "Reads nothing ahead any more for "
        + command
        + " from "
        + String.join(" < ", frames)
        + ", as "
        + judgedVain
        + " of the last "
        + judged
        + " reads ahead were in vain; maxVainPercent of learnLoops is "
        + maxVainPercent;
  }

  synchronized Learned learned() {
    return new Learned(keys, state, loops, hits, vain);
  }

  /** Describes a place that the detector does not know. */
  synchronized LoopReport report() {
    return new LoopReport(
        frames.get(0), frames.subList(1, frames.size()), command, loops, hits, 0, learned());
  }
}
