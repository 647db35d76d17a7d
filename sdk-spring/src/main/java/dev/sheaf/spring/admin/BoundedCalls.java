// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.admin;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs client calls with bounded concurrency, each with a time limit, because the first call of a
 * client can connect and others block up to the command time-out. Thread-safe.
 */
final class BoundedCalls implements AutoCloseable {

  /** The most calls that wait for their turn: 16. Each holds a thread of the web server. */
  static final int MAX_WAITING = 16;

  private final ThreadPoolExecutor threads;

  BoundedCalls(String name, int maxConcurrent) {
    AtomicInteger count = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            maxConcurrent,
            maxConcurrent,
            1,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> {
              Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** The number of calls that run at a time. */
  int maxConcurrent() {
    return threads.getMaximumPoolSize();
  }

  /**
   * Runs a call and waits for it.
   *
   * @throws RejectedExecutionException if too many wait, or after {@link #close}
   * @throws TimeoutException if it does not end in time; it is interrupted
   * @throws InterruptedException if this thread is interrupted; the call is interrupted, too
   * @throws ExecutionException with the exception of the call
   */
  <T> T call(Callable<T> call, Duration timeout)
      throws ExecutionException, TimeoutException, InterruptedException {
    Future<T> result = threads.submit(call);
    try {
      return result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | InterruptedException e) {
      result.cancel(true);
      // A call that has not started gives up its place at once.
      threads.purge();
      throw e;
    }
  }

  /** Stops the threads and interrupts running calls. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
