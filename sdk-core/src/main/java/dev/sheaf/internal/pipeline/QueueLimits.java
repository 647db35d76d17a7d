// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.QueueFullException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bounds of one queue: counts what waits in it, and lets threads that can afford it wait until
 * there is room.
 *
 * <p>Thread-safe. Counting is two atomic additions; the lock is taken only while a thread waits.
 */
public final class QueueLimits {

  private static final long MAX_NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final int maxCommands;
  private final long maxBytes;
  private final AtomicInteger commands = new AtomicInteger();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger waiting = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition freed = lock.newCondition();

  /** For a queue of so many commands and bytes. */
  public QueueLimits(int maxCommands, long maxBytes) {
    this.maxCommands = maxCommands;
    this.maxBytes = maxBytes;
  }

  /**
   * Takes room if there is enough. Something too large for the whole queue gets an empty one.
   *
   * @return whether it was taken
   */
  public boolean tryTake(int newCommands, long newBytes) {
    int totalCommands = commands.addAndGet(newCommands);
    long totalBytes = bytes.addAndGet(newBytes);
    if ((totalCommands <= maxCommands || totalCommands == newCommands)
        && (totalBytes <= maxBytes || totalBytes == newBytes)) {
      return true;
    }
    commands.addAndGet(-newCommands);
    bytes.addAndGet(-newBytes);
    return false;
  }

  /**
   * Takes room, waiting for it.
   *
   * @return whether it was taken before the deadline, a time of System.nanoTime
   * @throws InterruptedException if the thread was interrupted; nothing was taken then
   */
  public boolean take(int newCommands, long newBytes, long deadlineNanos)
      throws InterruptedException {
    if (tryTake(newCommands, newBytes)) {
      return true;
    }
    lock.lockInterruptibly();
    try {
      waiting.incrementAndGet();
      while (!tryTake(newCommands, newBytes)) {
        long left = deadlineNanos - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        // A thread that freed room just before this one was counted as waiting did not signal.
        freed.awaitNanos(Math.min(left, MAX_NAP_NANOS));
      }
      return true;
    } finally {
      waiting.decrementAndGet();
      lock.unlock();
    }
  }

  /** Gives room back. */
  public void free(int oldCommands, long oldBytes) {
    commands.addAndGet(-oldCommands);
    bytes.addAndGet(-oldBytes);
    if (waiting.get() > 0) {
      lock.lock();
      try {
        freed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  /**
   * The failure of a command for which there is no room.
   *
   * @param queue begins the sentence
   * @param reason why nothing leaves it
   */
  public QueueFullException full(String queue, String reason) {
    return new QueueFullException(
        queue
            + " is full: "
            + commands()
            + " commands and "
            + bytes()
            + " bytes wait, the limits are maxQueuedCommands="
            + maxCommands
            + " and maxQueuedBytes="
            + maxBytes
            + "; "
            + reason
            + ". Send less at once, or raise the limit in BatchingOptions");
  }

  public int commands() {
    return commands.get();
  }

  public long bytes() {
    return bytes.get();
  }
}
