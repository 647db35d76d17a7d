// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * A script is declared wrongly, or has failed on the server.
 *
 * <p>Of {@link Script}, {@link Scripts#register} and {@link Scripts#bind}: a file is missing, a
 * type does not fit, the server cannot compile the text. Nothing was called. The message names the
 * file or the method, the line if there is one, the reason and what to change.
 *
 * <p>Of a call: the script ran and failed, or the server refused to run it. The message names the
 * script and has the server's words; the cause is Lettuce's exception. What the script wrote before
 * it failed stays written.
 */
public final class ScriptException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates a failure. */
  public ScriptException(String message) {
    super(message);
  }

  /** Creates a failure with its cause, which may be null. */
  public ScriptException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
