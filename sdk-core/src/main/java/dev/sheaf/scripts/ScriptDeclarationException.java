// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * A script or an interface of scripts is declared wrongly: a file is missing, a type does not fit,
 * the server cannot compile the text. Nothing was called. The message names the file or the method,
 * the line if there is one, the reason and what to change.
 */
public final class ScriptDeclarationException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates a failure. */
  public ScriptDeclarationException(String message) {
    super(message);
  }

  /** Creates a failure with its cause, which may be null. */
  public ScriptDeclarationException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
