package dev.sheaf.internal.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the callers of one client that block for replies now, to tell whether a caller may drive an
 * event loop: of a few callers each can have its own, many share batches.
 *
 * <p>Thread-safe.
 */
public final class Callers {

  private final AtomicInteger blocked = new AtomicInteger();
  private volatile int drivers = 1;

  /** A caller begins to block. */
  void begin() {
    blocked.incrementAndGet();
  }

  /** A caller blocks no longer. */
  void end() {
    blocked.decrementAndGet();
  }

  /** How many callers block now. */
  int blocked() {
    return blocked.get();
  }

  /** Whether there are so few callers that each has an event loop to drive. */
  boolean mayDrive() {
    return blocked.get() <= drivers;
  }
}
