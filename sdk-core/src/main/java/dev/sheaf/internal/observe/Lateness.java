// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import dev.sheaf.BatchingOptions;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * The reason why a command is late: its stage, with figures.
 *
 * @param details a clause for the end of a sentence
 */
public record Lateness(Stage stage, String details) {

  /** In place of the number of commands in flight: the socket is not writable. */
  public static final int SOCKET_FULL = -1;

  /**
   * The command's node has no connection.
   *
   * @param givenUp whether reconnecting has stopped
   */
  public static Lateness withoutConnection(boolean givenUp) {
    return new Lateness(
        Stage.NO_CONNECTION,
        givenUp
            ? "there is no connection to the node, and none is tried any more"
            : "there is no connection to the node; it is tried again and again");
  }

  /** The command is queued in a transaction on the server. */
  public static Lateness withoutExec() {
    return new Lateness(
        Stage.UNANSWERED, "the server holds it until EXEC, which was not called or not answered");
  }

  /**
   * The command waits in the queue of a connection.
   *
   * @param queued how many commands are queued
   * @param inFlight how many await replies, or {@link #SOCKET_FULL}
   */
  public static Lateness unsent(int queued, int inFlight, BatchingOptions limits) {
    return new Lateness(
        Stage.IN_THE_QUEUE,
        "it was not written yet, "
            + queued
            + " commands wait in the queue; "
            + (inFlight == SOCKET_FULL
                ? "the socket takes no more bytes"
                : inFlight
                    + " commands await replies, the limits are maxInFlightCommands="
                    + limits.maxInFlightCommands()
                    + " and maxInFlightBytes="
                    + limits.maxInFlightBytes()));
  }

  /**
   * A pause of the JVM, if its threads did not run for at least two thirds of the time; else the
   * given reason. Also the given reason if a pause cannot explain it.
   */
  public static Lateness orPause(long nanos, Lateness otherwise) {
    long paused = Pauses.nanosSince(System.nanoTime() - nanos);
    boolean explained =
        otherwise.stage() == Stage.UNANSWERED || otherwise.stage() == Stage.EVENT_LOOP_BUSY;
    return !explained || paused < nanos / 3 * 2
        ? otherwise
        : new Lateness(
            Stage.NOT_RUNNING,
            "the threads of this JVM did not run for "
                + TimeUnit.NANOSECONDS.toMillis(paused)
                + " ms of that");
  }

  /**
   * Creates the error of a late command, and records an event for the flight recorder.
   *
   * @param byNode the node, as " by host:port"; may be empty
   */
  public RedisCommandTimeoutException failure(String command, String byNode, long timeoutNanos) {
    TimeoutEvent.commit(command, byNode, this, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
    return exception(command, byNode, timeoutNanos);
  }

  /** As {@link #failure}, without an event: there is one for several commands already. */
  public RedisCommandTimeoutException exception(String command, String byNode, long timeoutNanos) {
    return new RedisCommandTimeoutException(
        command
            + " was not answered"
            + byNode
            + " within "
            + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
            + " ms ("
            + stage
            + "): "
            + details
            + "; commandTimeout sets the limit");
  }
}
