// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command in a {@link Batch}, there once the batch was sent and answered.
 *
 * @param <T> the type of the result
 */
public interface Deferred<T extends @Nullable Object> {

  /**
   * The result. Sends the batch if that was not done, and waits, at most the command time-out.
   *
   * @throws io.lettuce.core.RedisException if the command failed or there was no reply in time
   */
  T get();

  /** Whether {@link #get} would answer at once. */
  boolean isDone();

  /** The result as a stage. Does not send the batch. */
  CompletionStage<T> toCompletionStage();
}
