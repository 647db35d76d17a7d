// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A place in the code that makes one round trip after the other where a few would do, or did so
 * until the client learned its loop. See {@link Sheaf#loops}.
 *
 * <p>The numbers are close estimates: the stack is looked at now and then only.
 *
 * @param callSite the innermost method outside this client, its libraries and the JDK, with file
 *     and line, as in {@code com.acme.Page.render(Page.java:42)}
 * @param callers the methods that called it, the nearest first, at most three: of help where the
 *     call site is a helper that everybody uses
 * @param command the command, as {@code GET}
 * @param executions how many times a run of calls was seen there
 * @param calls how many calls these runs had in all
 * @param avoidableRoundTrips how many round trips would not have been made if each run had been one
 * @param learned what was learned of the place; null if nothing was, or nobody asked for it
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

  /** This report with what was learned of its place. */
  public LoopReport with(Learned learned) {
    return new LoopReport(
        callSite, callers, command, executions, calls, avoidableRoundTrips, learned);
  }

  /**
   * What a client has learned of the loop at a place, see {@link SheafBuilder#learnLoops}.
   *
   * @param keys where the keys come from, as {@code item:* with the elements of SMEMBERS}
   * @param state whether keys are read ahead there
   * @param loops how many loops were seen to their end
   * @param hits reads that were answered from what was read ahead; each saved a round trip
   * @param vain reads that nobody asked for in time
   */
  public record Learned(String keys, State state, long loops, long hits, long vain) {

    /** Whether keys are read ahead. */
    public enum State {
      /** Not yet: three loops in a row must have been foreseen rightly. */
      LEARNING,
      /** Yes. */
      READING_AHEAD,
      /** Not any more: too many reads were in vain. */
      STOPPED
    }
  }
}
