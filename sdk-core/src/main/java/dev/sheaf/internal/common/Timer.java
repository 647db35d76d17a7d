// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.common;

import io.netty.util.concurrent.EventExecutorGroup;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/** A scheduler of short tasks. Thread-safe. */
@FunctionalInterface
public interface Timer {

  /**
   * Runs a task once after a delay.
   *
   * @return whether it will run; false if the client was shut down
   */
  boolean after(Runnable task, long nanos);

  /**
   * A timer on the threads of an executor that is not an event loop of sockets. Exceptions of tasks
   * are logged; Netty would drop them.
   *
   * @param threads supplies the executor for each task
   */
  static Timer on(Supplier<? extends EventExecutorGroup> threads) {
    return (task, nanos) -> {
      try {
        threads.get().schedule(() -> run(task), Math.max(0, nanos), TimeUnit.NANOSECONDS);
        return true;
      } catch (RejectedExecutionException shutDown) {
        return false;
      }
    };
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LoggerFactory.getLogger("dev.sheaf").warn("A task of the client's timer failed", e);
    }
  }
}
