// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import dev.sheaf.embedded.internal.net.Listener;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Gives other threads access to the thread that owns all data of a server. */
final class CommandThread {
  /**
   * How long a starting server waits for its thread. Nothing can occupy that thread yet, so only a
   * slow machine takes long; there a test should be late rather than fail.
   */
  private static final Duration START_TIMEOUT = Duration.ofMinutes(5);

  private final Listener listener;
  private final Duration callTimeout;
  private volatile Duration timeout = START_TIMEOUT;

  CommandThread(Listener listener, Duration callTimeout) {
    this.listener = listener;
    this.callTimeout = callTimeout;
  }

  /** Called after the start: scripts can occupy the thread now, so waits are shorter. */
  void started() {
    timeout = callTimeout;
  }

  /** As {@link #call}, without a result. */
  void run(Runnable work) {
    call(
        () -> {
          work.run();
          return true;
        });
  }

  /**
   * Runs a task there and waits for its result.
   *
   * @throws IllegalStateException if the thread is busy for too long or has ended
   */
  <T> T call(Callable<T> work) {
    try {
      if (listener.isThread()) {
        return work.call();
      }
      Future<T> outcome = listener.thread().submit(work);
      return outcome.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException("the embedded server is closed", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the command thread was busy for more than " + limit(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the command thread", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private String limit() {
    Duration now = timeout;
    return (now.equals(START_TIMEOUT) ? "START_TIMEOUT = " : "CALL_TIMEOUT = ") + now;
  }
}
