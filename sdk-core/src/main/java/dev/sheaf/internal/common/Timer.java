// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** A timer that runs short tasks later. Thread-safe. */
@FunctionalInterface
public interface Timer {

  /**
   * Runs a task once, after a time.
   *
   * @return whether it will run; not if the client was shut down
   */
  boolean after(Runnable task, long nanos);

  /**
   * A timer on the threads of an executor, outside of any event loop that serves sockets.
   *
   * @param threads asked with each task
   */
  static Timer on(Supplier<? extends EventExecutorGroup> threads) {
    return (task, nanos) -> {
      try {
        threads.get().schedule(task, nanos, TimeUnit.NANOSECONDS);
        return true;
      } catch (RejectedExecutionException shutDown) {
        return false;
      }
    };
  }
}
