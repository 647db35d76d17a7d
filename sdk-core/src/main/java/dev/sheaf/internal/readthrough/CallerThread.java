// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.readthrough;

import dev.sheaf.SheafException;
import dev.sheaf.internal.common.Failures;
import io.lettuce.core.RedisCommandInterruptedException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * An executor that runs tasks on the thread of a blocking caller while it waits. So blocking reads
 * reuse the asynchronous ones, and loaders still run on the calling thread.
 */
final class CallerThread implements Executor {

  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Waits for an outcome; throws its {@link #cause}. */
  <T> T await(CompletionStage<T> stage) {
    CompletableFuture<T> outcome = stage.toCompletableFuture();
    outcome.whenComplete((done, failure) -> execute(() -> {}));
    try {
      while (!outcome.isDone()) {
        tasks.take().run();
      }
      return outcome.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (RuntimeException e) {
      Throwable cause = cause(e);
      if (cause instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) cause;
    }
  }

  /** The exception for users: unchecked, and without the wrappers of futures. */
  static Throwable cause(Throwable failure) {
    Throwable cause = Failures.cause(failure);
    return cause instanceof RuntimeException || cause instanceof Error
        ? cause
        : new SheafException("The loader failed: " + cause, cause);
  }
}
