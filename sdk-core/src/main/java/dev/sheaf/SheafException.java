// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import io.lettuce.core.RedisException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown for failures that Sheaf itself detects. It extends Lettuce's {@link RedisException}, so
 * that one catch clause handles both.
 */
public class SheafException extends RedisException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message that says what was wrong and what to change. */
  public SheafException(String message) {
    super(message);
  }

  /** Creates an exception with a cause, which may be null. */
  @SuppressWarnings("NullAway") // RedisException takes a null cause as Throwable does.
  public SheafException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
