// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import org.jspecify.annotations.Nullable;

/**
 * No connection could be made. The message names the server, without its password, and the likely
 * cause; Lettuce's own exception is the cause.
 */
public final class SheafConnectionException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates the failure. */
  public SheafConnectionException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
