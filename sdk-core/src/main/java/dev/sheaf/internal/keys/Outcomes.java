// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.SheafException;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The future that many commands have together: the last one to finish completes it, so that the
 * thread that waits for all wakes once.
 *
 * <p>Begun by one thread; finished by any.
 *
 * @param <T> what all outcomes together are
 */
public abstract class Outcomes<T> {

  private final CompletableFuture<T> future = new CompletableFuture<>();
  private final AtomicInteger unfinished = new AtomicInteger();

  Outcomes() {}

  /** All outcomes. Called once, when there are all. */
  abstract T all();

  /** Fails the commands that have no outcome within this time, so that every one has one. */
  public abstract void expire(Duration timeout);

  /** To be called before any command can finish. */
  final void begin(int commands) {
    unfinished.set(commands);
    if (commands == 0) {
      future.complete(all());
    }
  }

  /** Counts a command that has its outcome, once for each. */
  final void finished() {
    if (unfinished.decrementAndGet() == 0) {
      future.complete(all());
    }
  }

  /** Completed when each command has an outcome; never exceptionally. */
  public final CompletableFuture<T> future() {
    return future;
  }

  /**
   * Waits for all outcomes; commands without one by then fail. What the current thread holds back
   * is sent first.
   *
   * @param timeout what errors name
   * @param deadlineNanos when it is over, by System.nanoTime
   * @throws InterruptedException if the thread is interrupted; the commands go on
   */
  public final T awaitInterruptibly(Duration timeout, long deadlineNanos)
      throws InterruptedException {
    if (WriteScope.await(future, deadlineNanos)) {
      return future.join();
    }
    if (Thread.interrupted()) {
      throw new InterruptedException("Interrupted while it waited for replies");
    }
    try {
      return future.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      expire(timeout);
      return future.join();
    } catch (ExecutionException e) {
      throw new SheafException("The commands failed: " + e.getCause(), e.getCause());
    }
  }

  /**
   * As {@link #awaitInterruptibly}, for callers that wait as Lettuce's blocking commands do.
   *
   * @throws RedisCommandInterruptedException if the thread is interrupted; it stays interrupted
   */
  public final T await(Duration timeout, long deadlineNanos) {
    try {
      return awaitInterruptibly(timeout, deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }
}
