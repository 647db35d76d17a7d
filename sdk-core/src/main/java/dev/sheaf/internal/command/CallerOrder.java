// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Keeps the commands of one thread on one connection while any of them is unanswered, where a
 * server has several: so commands of one thread never overtake each other.
 *
 * <p>Threads share {@value #CELLS} cells by their id. A cell holds how many commands are
 * unanswered, and the lane they were sent on; while there are any, further commands of these
 * threads go the same way. Two threads that share a cell share a lane now and then, and lose
 * nothing else.
 *
 * <p>Thread-safe.
 */
public final class CallerOrder {

  private static final int CELLS = 256;
  private static final int SPREAD = 0x9E3779B9;
  private static final int SHIFT = Integer.numberOfLeadingZeros(CELLS - 1);
  private static final long ONE_COMMAND = 1;
  private static final int LANE_SHIFT = 32;
  private static final long COUNT_MASK = (1L << LANE_SHIFT) - 1;

  private final AtomicLongArray cells = new AtomicLongArray(CELLS);
  private final BooleanSupplier readAhead;
  private final IntConsumer written;

  /**
   * Begins with nothing unanswered.
   *
   * @param readAhead whether a loop of this client holds values that it has read ahead
   * @param written voids what was read ahead, by the {@link WriteClock} cell of an ended write:
   *     where there are several connections, a read may overtake the write of another thread
   */
  public CallerOrder(BooleanSupplier readAhead, IntConsumer written) {
    this.readAhead = readAhead;
    this.written = written;
  }

  /** The cell of the current thread. */
  public static int cell() {
    return ((int) Thread.currentThread().getId() * SPREAD) >>> SHIFT;
  }

  /** The lane that the next command of this cell's threads must take; -1 if it may take any. */
  public int lane(int cell) {
    long state = cells.get(cell);
    return (state & COUNT_MASK) == 0 ? -1 : (int) (state >>> LANE_SHIFT);
  }

  /**
   * Counts commands that are about to be sent.
   *
   * @param wanted the lane to take if nothing is unanswered
   * @return the lane they have to take
   */
  public int enter(int cell, int wanted, int commands) {
    while (true) {
      long state = cells.get(cell);
      long lane = (state & COUNT_MASK) == 0 ? wanted : state >>> LANE_SHIFT;
      if (cells.compareAndSet(
          cell, state, lane << LANE_SHIFT | (state & COUNT_MASK) + commands * ONE_COMMAND)) {
        return (int) lane;
      }
    }
  }

  /** Counts commands that were not sent after all. */
  public void undo(int cell, int commands) {
    cells.addAndGet(cell, -commands * ONE_COMMAND);
  }

  /** Whether {@link #ended} has to be called for writes. */
  boolean isReadAhead() {
    return readAhead.getAsBoolean();
  }

  /** A write was answered, or will never be sent. Before its caller knows. */
  void ended(int writtenCell) {
    written.accept(writtenCell);
  }

  /** Counts one command that was answered, or that will never be sent, before its caller knows. */
  void leave(int cell) {
    cells.addAndGet(cell, -ONE_COMMAND);
  }
}
