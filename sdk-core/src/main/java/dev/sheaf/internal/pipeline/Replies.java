// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.SheafException;
import dev.sheaf.internal.common.Failures;
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
   * Waits for the value, at most the given time. A time-out does not complete the future. First
   * sends the collected commands of this thread, since the value may depend on them.
   *
   * @throws RedisException if the future failed or timed out, or the thread was interrupted
   */
  public static <T extends @Nullable Object> T resultOf(
      CompletableFuture<T> future, Duration timeout) {
    WriteScope.await(future, System.nanoTime() + timeout.toNanos());
    try {
      return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
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
