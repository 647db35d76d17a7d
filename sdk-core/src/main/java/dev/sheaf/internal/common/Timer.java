// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

/** A timer that runs short tasks later. Thread-safe. */
@FunctionalInterface
public interface Timer {

  /**
   * Runs a task once, after a time.
   *
   * @return whether it will run; not if the client was shut down
   */
  boolean after(Runnable task, long nanos);
}
