// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.PeriodicTask;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.observe.Lateness;
import io.lettuce.core.protocol.RedisCommand;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Ends the commands of one connection whose time is over, counted from their call.
 *
 * <p>Lettuce times what is written, from then on. That is enough for all that is written at once,
 * which costs no look at the clock here: a flight or a command that travels alone learns from
 * Lettuce that it is late. What had to wait first, in a queue that does not move, for room in it or
 * for a new socket, is looked at every {@link #INTERVAL_MILLIS} as long as there is such a command,
 * so a time-out is never early, and late by two of these intervals at most.
 *
 * <p>Thread-safe.
 */
final class CommandExpiry implements EncodedCommand.Expiry {

  /** How often is looked for commands that nobody waits for any more. */
  static final int INTERVAL_MILLIS = 20;

  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(INTERVAL_MILLIS);

  /** Knows why commands are late. */
  interface Reasons {
    /** Why a command that was written, or may have been, has no reply. */
    Lateness whyLate(RedisCommand<?, ?, ?> command);

    /** Why a command that waits in the queue was not sent. */
    Lateness whyNotSent();

    /** The node, to end a sentence with; may be empty. */
    String byAddress();

    /** When the node was last heard of, on any connection, by System.nanoTime. */
    long heardNanos();

    /** Counts commands that were not answered in time. */
    void timedOut(Lateness why, int commands);
  }

  private final CommandTimeouts timeouts;
  private final Runnable queue;
  private final Reasons reasons;
  private final PeriodicTask look;

  /** What waited before it was written. */
  private final Queue<EncodedCommand<?, ?, ?>> delayed = new ConcurrentLinkedQueue<>();

  /**
   * Begins to look when there is something to see.
   *
   * @param queue looks at what is not written yet
   */
  CommandExpiry(CommandTimeouts timeouts, Timer timer, Runnable queue, Reasons reasons) {
    this.reasons = reasons;
    this.timeouts = timeouts;
    this.look = new PeriodicTask(timer, INTERVAL_NANOS, this::look);
    this.queue = queue;
  }

  /** Schedules a look, {@link #INTERVAL_MILLIS} from now at the latest. */
  void schedule() {
    look.start();
  }

  /** Takes note of a command that had to wait and is about to be written. */
  void leavesLate(EncodedCommand<?, ?, ?> command) {
    delayed.add(command);
    schedule();
  }

  /** Takes note of a command that is about to be written once more. */
  void leavesAgain(EncodedCommand<?, ?, ?> command, long firstNanos) {
    if (System.nanoTime() - firstNanos >= INTERVAL_NANOS) {
      command.calledBy(firstNanos);
      leavesLate(command);
    }
  }

  private boolean look() {
    try {
      queue.run();
    } finally {
      long now = System.nanoTime();
      delayed.removeIf(command -> isSettled(command, now));
    }
    return !delayed.isEmpty();
  }

  private boolean isSettled(EncodedCommand<?, ?, ?> command, long now) {
    if (command.isAbandoned()) {
      return true;
    }
    long timeout;
    try {
      timeout = timeouts.nanosFor(command);
    } catch (RuntimeException ofTheUsersSource) {
      return true;
    }
    if (timeout <= 0) {
      return true;
    }
    if (!command.hasWaited(now, timeout)) {
      return false;
    }
    Lateness why = Lateness.orPause(timeout, reasons.whyLate(command));
    expire(command, why, timeout);
    return true;
  }

  /** Looks at a command that is not written yet. */
  void lookAtQueued(EncodedCommand<?, ?, ?> command, long now) {
    long timeout = timeouts.nanosFor(command);
    if (timeout > 0 && command.hasWaited(now, timeout) && !command.isAbandoned()) {
      expire(command, Lateness.orPause(timeout, reasons.whyNotSent()), timeout);
    }
  }

  /** Ends what Lettuce has timed, and is no part of a flight. */
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
