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
 * Calls of a client, few at a time, each awaited for a limited time: the first call of a client may
 * connect, and others have its command time-out. Thread-safe.
 */
final class BoundedCalls implements AutoCloseable {

  /** How many calls may wait for their turn: 16; each holds a thread of the web server. */
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

  /** How many calls are made at a time. */
  int maxConcurrent() {
    return threads.getMaximumPoolSize();
  }

  /**
   * Makes a call and waits for it.
   *
   * @throws RejectedExecutionException if too many wait, or after {@link #close}
   * @throws TimeoutException if it is not over in time; it is interrupted
   * @throws InterruptedException if this thread is interrupted; so is the call
   * @throws ExecutionException what the call threw
   */
  <T> T call(Callable<T> call, Duration timeout)
      throws ExecutionException, TimeoutException, InterruptedException {
    Future<T> result = threads.submit(call);
    try {
      return result.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException | InterruptedException e) {
      result.cancel(true);
      // One that had not begun leaves its place at once.
      threads.purge();
      throw e;
    }
  }

  /** Ends the threads; what is under way is interrupted. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
