// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the callers of one client that block for replies now, to tell whether a caller may drive
 * an event loop: of a few callers each can have its own, many share batches.
 *
 * <p>Thread-safe.
 */
public final class Callers {

  private final AtomicInteger blocked = new AtomicInteger();

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
}
