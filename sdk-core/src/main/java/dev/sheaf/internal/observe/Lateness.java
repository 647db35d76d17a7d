package dev.sheaf.internal.observe;

import io.lettuce.core.RedisCommandTimeoutException;
import java.util.concurrent.TimeUnit;

/**
 * Why a command has no reply in time: its stage, and figures of that.
 *
 * @param details a clause to end a sentence with
 */
public record Lateness(Stage stage, String details) {

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
