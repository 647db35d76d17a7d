// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import dev.sheaf.BatchingOptions;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * Why a command has no reply in time: its stage, and figures of that.
 *
 * @param details a clause to end a sentence with
 */
public record Lateness(Stage stage, String details) {

  /** In place of a number of commands in flight: the socket takes no more bytes. */
  public static final int SOCKET_FULL = -1;

  /**
   * Of a command whose node has no connection.
   *
   * @param givenUp whether none is tried any more
   */
  public static Lateness withoutConnection(boolean givenUp) {
    return new Lateness(
        Stage.NO_CONNECTION,
        givenUp
            ? "there is no connection to the node, and none is tried any more"
            : "there is no connection to the node; it is tried again and again");
  }

  /** Of a command of a transaction that the server holds. */
  public static Lateness withoutExec() {
    return new Lateness(
        Stage.UNANSWERED, "the server holds it until EXEC, which was not called or not answered");
  }

  /**
   * Of a command that waits in the queue of a connection.
   *
   * @param queued how many do
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
   * Of a JVM whose threads did not run for two thirds of a time or more; else the given one, and so
   * if that says what no pause explains.
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
   * The failure of a command that was late, which the flight recorder is told, too.
   *
   * @param byNode the node, as " by host:port"; may be empty
   */
  public RedisCommandTimeoutException failure(String command, String byNode, long timeoutNanos) {
    TimeoutEvent.commit(command, byNode, this, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
    return exception(command, byNode, timeoutNanos);
  }

  /** As {@link #failure}, of one command of several for which there is an event already. */
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
