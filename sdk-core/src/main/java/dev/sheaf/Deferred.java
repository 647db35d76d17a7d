// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command in a {@link Batch}, available once the batch was sent and answered.
 *
 * @param <T> the type of the result
 */
public interface Deferred<T extends @Nullable Object> {

  /**
   * Returns the result. Sends the batch if necessary, and waits, at most the command time-out.
   *
   * @throws io.lettuce.core.RedisException if the command failed or timed out
   */
  T get();

  /** Whether {@link #get} would return at once. */
  boolean isDone();

  /** The result as a future. Does not send the batch. */
  CompletionStage<T> toCompletionStage();
}
