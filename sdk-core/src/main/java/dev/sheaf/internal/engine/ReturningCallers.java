package dev.sheaf.internal.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Gives callers whose replies have just come a moment to ask for more, before a batch of few leaves
 * without them.
 *
 * <p>Threads that yield instead of parking need not be woken, so the event loop is done with
 * replies before most of those who wait for them have had a turn of a processor. What it finds in
 * the queue then is one or two commands, and a server that is sent one or two at a time spends its
 * time on system calls, the more so if several servers share the machine. So the event loop gives
 * its processor up, too, until enough have come back. It does so only where {@code YieldTrials}
 * lets threads yield, and what it gains or costs is part of what those trials see.
 *
 * <p>Thread-safe.
 */
final class ReturningCallers {

  /** A write and the read of its replies, shared by that many, cost little beside the commands. */
  static final int ENOUGH_COMMANDS = 8;

  /** Not all come back, and not all at once. */
  private static final int EXPECTED_PART = 2;

  static final int MAX_YIELDS = 50;

  /** About two round trips to a server that is near. A single yield may take longer. */
  static final long MAX_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final BooleanSupplier threadsYield;
  private final LongSupplier nanoTime;
  private final Room room;

  /**
   * For one queue.
   *
   * @param threadsYield whether callers yield instead of parking, at present
   * @param room knows how many commands wait
   */
  ReturningCallers(BooleanSupplier threadsYield, LongSupplier nanoTime, Room room) {
    this.threadsYield = threadsYield;
    this.nanoTime = nanoTime;
    this.room = room;
  }

  /** Whether there are so many callers that some are waited for. */
  boolean areExpected() {
    return threadsYield.getAsBoolean();
  }

  /**
   * Waits for some to come back.
   *
   * @param answered how many commands were answered since the last batch
   */
  void await(int answered) {
    int enough = Math.min(answered / EXPECTED_PART, ENOUGH_COMMANDS);
    if (room.commands() >= enough || !threadsYield.getAsBoolean()) {
      return;
    }
    long begin = nanoTime.getAsLong();
    int yields = 0;
    do {
      Thread.yield();
      yields++;
    } while (yields < MAX_YIELDS
        && room.commands() < enough
        && threadsYield.getAsBoolean()
        && nanoTime.getAsLong() - begin < MAX_NANOS);
  }
}
