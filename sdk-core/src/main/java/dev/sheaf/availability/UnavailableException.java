// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.availability;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a PING that had no good answer: none in time, an error such as LOADING, or there
 * is no connection. The message names the node and says why.
 */
public final class UnavailableException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates one without a cause. */
  public UnavailableException(String message) {
    super(message);
  }

  /** Creates one. */
  public UnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
