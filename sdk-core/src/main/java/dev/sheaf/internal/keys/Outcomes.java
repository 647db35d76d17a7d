// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import dev.sheaf.SheafException;
import dev.sheaf.internal.pipeline.CommandHolder;
import dev.sheaf.internal.pipeline.Replies;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The common future of many commands. The last one to finish completes it, so that a thread that
 * waits for all of them wakes once.
 *
 * <p>Started by one thread; completed by any.
 *
 * @param <T> the type of all outcomes together
 */
public abstract class Outcomes<T> {

  private final CompletableFuture<T> future = new CompletableFuture<>();
  private final AtomicInteger unfinished = new AtomicInteger();

  Outcomes() {}

  /** Collects the outcomes. Called once, when all are there. */
  abstract T all();

  /** The commands, each of which gets an outcome. */
  abstract Collection<? extends KeyedCommand<?, ?, ?, ?>> commands();

  /** Fails the commands without an outcome with time-outs that say why they are late. */
  public final void expire(Duration timeout) {
    CommandHolder.expireAll(commands(), timeout.toNanos());
  }

  /** Sets the number of commands. Called before any of them can finish. */
  final void begin(int commands) {
    unfinished.set(commands);
    if (commands == 0) {
      future.complete(all());
    }
  }

  /** Counts a finished command, once for each. */
  final void finished() {
    if (unfinished.decrementAndGet() == 0) {
      future.complete(all());
    }
  }

  /** Completes when each command has an outcome; never exceptionally. */
  public final CompletableFuture<T> future() {
    return future;
  }

  /**
   * Waits for all outcomes; commands without one at the deadline fail. First sends the collected
   * commands of the current thread.
   *
   * @param timeout the time-out that errors name
   * @param deadlineNanos when it ends, by System.nanoTime
   * @throws InterruptedException if the thread is interrupted; the commands continue
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
      return Replies.get(future, deadlineNanos);
    } catch (TimeoutException e) {
      expire(timeout);
      return future.join();
    } catch (ExecutionException e) {
      throw new SheafException("The commands failed: " + e.getCause(), e.getCause());
    }
  }

  /**
   * As {@link #awaitInterruptibly}, with the exceptions of Lettuce's blocking commands.
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
