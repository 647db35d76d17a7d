// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.SheafException;
import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.observe.Pauses;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.internal.ExceptionFactory;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Waits for futures like Lettuce's blocking commands, with the same exceptions. */
public final class Replies {

  private Replies() {}

  /**
   * Waits for a future, at most until the deadline, or a moment longer after a pause of the JVM.
   *
   * @param deadlineNanos by System.nanoTime
   */
  public static <T extends @Nullable Object> T get(CompletableFuture<T> future, long deadlineNanos)
      throws InterruptedException, ExecutionException, TimeoutException {
    try {
      return future.get(Math.max(0, deadlineNanos - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return future.get(Pauses.graceNanos(deadlineNanos), TimeUnit.NANOSECONDS);
    }
  }

  /**
   * Waits for the value, at most the given time. A time-out does not complete the future. First
   * sends the collected commands of this thread, since the value may depend on them.
   *
   * @throws RedisException if the future failed or timed out, or the thread was interrupted
   */
  public static <T extends @Nullable Object> T resultOf(
      CompletableFuture<T> future, Duration timeout) {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    WriteScope.await(future, deadlineNanos);
    try {
      return get(future, deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (TimeoutException e) {
      throw new RedisCommandTimeoutException(
          "No answer within " + timeout.toMillis() + " ms; commandTimeout sets the limit");
    } catch (ExecutionException | CancellationException e) {
      throw asRedisException(e);
    }
  }

  /** The failure of a future, or null if it completed with a value. */
  public static @Nullable Throwable failureOf(CompletableFuture<?> future, Duration timeout) {
    try {
      resultOf(future, timeout);
      return null;
    } catch (RedisException e) {
      return e;
    }
  }

  private static RedisException asRedisException(Exception e) {
    Throwable cause = Failures.cause(e);
    if (cause instanceof RedisCommandExecutionException) {
      // A new exception of the same type, with the stack of the waiting thread.
      return ExceptionFactory.createExecutionException(cause.getMessage(), cause);
    }
    if (cause instanceof RedisException redis) {
      return redis;
    }
    return new SheafException("The command failed: " + cause, cause);
  }
}
