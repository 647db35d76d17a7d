// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in the code that makes many round trips in sequence where a few would do, or did so until
 * the client learned its loop. See {@link Sheaf#loops}.
 *
 * <p>The numbers are close estimates, because stacks are only sampled.
 *
 * @param callSite the innermost method outside this client, its libraries and the JDK, with file
 *     and line, as in {@code com.acme.Page.render(Page.java:42)}
 * @param callers the methods that called it, nearest first, at most three; useful if the call site
 *     is a shared helper
 * @param command the command, as {@code GET}
 * @param executions how many runs of calls were seen there
 * @param calls how many calls these runs had in total
 * @param avoidableRoundTrips how many round trips would have been saved with one for each run
 * @param learned what was learned of the loop; null if nothing was, or learning is off
 */
public record LoopReport(
    String callSite,
    List<String> callers,
    String command,
    long executions,
    long calls,
    long avoidableRoundTrips,
    @Nullable Learned learned) {

  /** Copies the list. */
  public LoopReport {
    callers = List.copyOf(callers);
  }

  /** Returns a copy with what was learned of the loop. */
  public LoopReport with(Learned learned) {
    return new LoopReport(
        callSite, callers, command, executions, calls, avoidableRoundTrips, learned);
  }

  /**
   * What a client has learned of the loop at a place; see {@link SheafBuilder#learnLoops}.
   *
   * @param keys the origin of the keys, such as {@code item:* with the elements of SMEMBERS}
   * @param state whether keys are read ahead there
   * @param loops how many loops were observed to their end
   * @param hits how many reads were answered with values read ahead; each saved a round trip
   * @param vain how many values were read ahead but not used in time
   */
  public record Learned(String keys, State state, long loops, long hits, long vain) {

    /** Whether keys are read ahead. */
    public enum State {
      /** Not yet: three loops in a row must be predicted correctly. */
      LEARNING,
      /** Yes. */
      READING_AHEAD,
      /** No longer: too many values were not used. */
      STOPPED
    }
  }
}
