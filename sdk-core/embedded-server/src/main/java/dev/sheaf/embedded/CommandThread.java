package dev.sheaf.embedded;

import dev.sheaf.embedded.net.Listener;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The thread that owns all data of a server, as other threads reach it. */
final class CommandThread {
  private final Listener listener;
  private final Duration timeout;

  CommandThread(Listener listener, Duration timeout) {
    this.listener = listener;
    this.timeout = timeout;
  }

  /** As {@link #call}, without an outcome. */
  void run(Runnable work) {
    call(
        () -> {
          work.run();
          return true;
        });
  }

  /**
   * Runs something there and waits for its outcome.
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
      throw new IllegalStateException(
          "the command thread was busy for more than CALL_TIMEOUT = " + timeout, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the command thread", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
