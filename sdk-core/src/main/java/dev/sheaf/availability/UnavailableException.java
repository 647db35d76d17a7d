// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a PING had no good answer: none in time, an error such as LOADING, or no connection.
 * The message names the node and the reason.
 */
public final class UnavailableException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception without a cause. */
  public UnavailableException(String message) {
    super(message);
  }

  /** Creates an exception. */
  public UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
