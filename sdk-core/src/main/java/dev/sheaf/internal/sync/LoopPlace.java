// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.LoopReport;
import dev.sheaf.LoopReport.Learned;
import dev.sheaf.LoopReport.Learned.State;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the loops that one place in the code runs: how long they are, and what reading
 * ahead was worth; for loops that nobody declared also whether they go where it was foreseen.
 *
 * <p>Thread-safe.
 */
final class LoopPlace {

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

  /**
   * Keys that a declared loop begins with as long as little is known, and goes on with where few
   * were of use: little is lost if it ends early.
   */
  static final int CAUTIOUS_KEYS = 16;

  /** How many times as many keys as before a declared loop reads next, while they are used. */
  private static final int GROWTH = 4;

  /** Most keys of one round trip: it is then a few hundredths of what it would be. */
  static final int MAX_WINDOW_KEYS = 256;

  /** Bytes of replies that a window should not exceed, judged by those before: 1 MiB. */
  private static final long MAX_WINDOW_BYTES = 1 << 20;

  /** A smaller size of replies counts by this part, a larger one at once. */
  private static final int SMOOTHING = 4;

  /** Stands for a loop that read its source to the end. */
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
   * Begins with nothing known.
   *
   * @param frames the call site and its callers
   * @param keys what the keys are
   * @param maxVainPercent which share of the reads may be in vain
   * @param whenProven is told when it begins to read ahead; null if its loops are declared, and so
   *     read ahead from the first on
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

  /** Of loops that are declared. */
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
   * How many keys a loop is to read ahead now: as many as the latest loops would have read; 0 if
   * none. A declared loop goes on beyond that by growing windows.
   *
   * @param reads how many it has read, with the key at hand
   * @param position where that key stands, from 1 on
   * @param paid whether its window before was of use, if there was one
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
    // With the key at hand, which its loop asks for by itself.
    long affordable = Math.max(1, MAX_WINDOW_BYTES / bytesPerKey - 1);
    return (int)
        Math.min(Math.min(foreseen, affordable), Math.min(keysInTime, MAX_WINDOW_KEYS - 1));
  }

  synchronized long bytesPerKey() {
    return bytesPerKey;
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
    if (read == 0) {
      return false;
    }
    hits += used;
    vain += read - used;
    // What was too much at once is asked for in smaller portions, and so proves nothing yet: the
    // first loops of a JVM are slow.
    boolean shrinks = late && used < read && read > 1;
    judged += shrinks ? used : read;
    judgedVain += shrinks ? 0 : read - used;
    bytesPerKey = Math.max(1, Math.max(bytes, bytesPerKey - bytesPerKey / SMOOTHING));
    if (late && used < read) {
      keysInTime = Math.max(1, used * 3 / 4);
    } else if (used == read && keysInTime < MAX_WINDOW_KEYS) {
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
        + " reads ahead were in vain; maxVainPercent of learnLoops is "
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
