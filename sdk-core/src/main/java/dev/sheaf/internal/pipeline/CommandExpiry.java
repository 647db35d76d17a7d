// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.PeriodicTask;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.observe.Lateness;
import io.lettuce.core.protocol.RedisCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Fails the commands of one connection at their time-out, which counts from their call.
 *
 * <p>Lettuce's own time-out counts from the write. That is enough for commands written at once,
 * which therefore cost no look at the clock here. Commands that had to wait first, for room in the
 * queue, for a stalled queue or for a new socket, are checked every {@link #INTERVAL_MILLIS} while
 * there are any. So a time-out is never early, and late by at most two intervals.
 *
 * <p>Thread-safe.
 */
final class CommandExpiry implements EncodedCommand.Expiry {

  /** The time between two checks. */
  static final int INTERVAL_MILLIS = 20;

  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS);

  /** Explains why commands are late. */
  interface Reasons {
    /** Explains why a command that was written, or may have been, has no reply. */
    Lateness whyLate(RedisCommand<?, ?, ?> command);

    /** Explains why a queued command has not been sent. */
    Lateness whyNotSent();

    /** The node, as the end of a sentence; may be empty. */
    String byAddress();

    /** When data was last read from the node, on any connection, by System.nanoTime. */
    long heardNanos();

    /** Counts commands that timed out. */
    void timedOut(Lateness why, int commands);
  }

  private record Late(EncodedCommand<?, ?, ?> command, long timeoutNanos) {}

  private final CommandTimeouts timeouts;
  private final Runnable queue;
  private final Reasons reasons;
  private final PeriodicTask look;

  /** The commands that waited before they were written. */
  private final Queue<EncodedCommand<?, ?, ?>> delayed = new ConcurrentLinkedQueue<>();

  /**
   * Starts without a scheduled check.
   *
   * @param queue checks the commands that have not been written
   */
  CommandExpiry(CommandTimeouts timeouts, Timer timer, Runnable queue, Reasons reasons) {
    this.reasons = reasons;
    this.timeouts = timeouts;
    this.look = new PeriodicTask(timer, INTERVAL_NANOS, this::look);
    this.queue = queue;
  }

  /** Schedules a check, {@link #INTERVAL_MILLIS} from now at the latest. */
  void schedule() {
    look.start();
  }

  /** Registers a command that had to wait and is about to be written. */
  void trackDelayed(EncodedCommand<?, ?, ?> command) {
    delayed.add(command);
    schedule();
  }

  /** Registers a command that is about to be written again. */
  void trackRewritten(EncodedCommand<?, ?, ?> command, long firstNanos) {
    if (System.nanoTime() - firstNanos >= INTERVAL_NANOS) {
      command.calledBy(firstNanos);
      trackDelayed(command);
    }
  }

  private boolean look() {
    try {
      queue.run();
    } finally {
      long now = System.nanoTime();
      List<Late> late = new ArrayList<>();
      delayed.removeIf(command -> isSettled(command, now, late));
      expireWritten(late);
    }
    return !delayed.isEmpty();
  }

  /** Whether a command needs no further check: it is done, has no time-out, or is late. */
  private boolean isSettled(EncodedCommand<?, ?, ?> command, long now, List<Late> late) {
    if (command.isAbandoned()) {
      return true;
    }
    long timeout;
    try {
      timeout = timeouts.nanosFor(command);
    } catch (RuntimeException ofTheUsersSource) {
      return true;
    }
    if (timeout > 0 && command.hasWaited(now, timeout)) {
      late.add(new Late(command, timeout));
      return true;
    }
    return timeout <= 0;
  }

  /**
   * Fails commands that were written, all for the reason of the first. To find a reason, the event
   * loop searches all that is in flight, and behind a slow server every command may be late.
   */
  private void expireWritten(List<Late> late) {
    Lateness why = null;
    for (Late each : late) {
      EncodedCommand<?, ?, ?> command = each.command();
      if (!command.isAbandoned()) {
        if (why == null) {
          why = reasons.whyLate(command);
        }
        expire(command, Lateness.orPause(each.timeoutNanos(), why), each.timeoutNanos());
      }
    }
  }

  /** Checks a command that has not been written. */
  void expireIfOverdue(EncodedCommand<?, ?, ?> command, long now) {
    long timeout = timeouts.nanosFor(command);
    if (timeout > 0 && command.hasWaited(now, timeout) && !command.isAbandoned()) {
      expire(command, Lateness.orPause(timeout, reasons.whyNotSent()), timeout);
    }
  }

  /** Fails a command outside of flights that Lettuce has timed out. */
  @Override
  public boolean expire(EncodedCommand<?, ?, ?> command) {
    if (command.isAbandoned()) {
      return false;
    }
    long timeout = timeouts.nanosFor(command);
    return expire(command, Lateness.orPause(timeout, reasons.whyLate(command)), timeout);
  }

  private boolean expire(EncodedCommand<?, ?, ?> command, Lateness why, long timeout) {
    boolean ended =
        command.fail(why.failure(command.getType().toString(), reasons.byAddress(), timeout));
    if (ended) {
      reasons.timedOut(why, 1);
    }
    return ended;
  }
}
