package dev.sheaf;

import java.util.List;

/**
 * A place in the code that makes one round trip after the other where a few would do. See {@link
 * Sheaf#loops}.
 *
 * <p>The numbers are close estimates: the stack is looked at now and then only, and the end of a
 * run may be noticed up to seven calls late.
 *
 * @param callSite the innermost method outside this client, its libraries and the JDK, with file
 *     and line, as in {@code com.acme.Page.render(Page.java:42)}
 * @param callers the methods that called it, the nearest first, at most three: of help where the
 *     call site is a helper that everybody uses
 * @param command the command, as {@code GET}
 * @param executions how many times a run of calls was seen there
 * @param calls how many calls these runs had in all
 * @param avoidableRoundTrips how many round trips would not have been made if each run had been one
 */
public record LoopReport(
    String callSite,
    List<String> callers,
    String command,
    long executions,
    long calls,
    long avoidableRoundTrips) {

  /** Copies the list. */
  public LoopReport {
    callers = List.copyOf(callers);
  }
}
