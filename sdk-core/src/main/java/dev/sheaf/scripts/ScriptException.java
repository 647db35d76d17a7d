// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a script is declared wrongly or fails on the server.
 *
 * <p>From {@link Script}, {@link Scripts#register} and {@link Scripts#bind}: a file is missing, a
 * type does not fit, or the server cannot compile the text. Nothing was called. The message names
 * the file or the method, the line if known, the reason and what to change.
 *
 * <p>From a call: the script failed, or the server refused to run it. The message names the script
 * and quotes the server. The cause is Lettuce's exception. What the script wrote before it failed
 * stays written.
 */
public final class ScriptException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception. */
  public ScriptException(String message) {
    super(message);
  }

  /** Creates an exception with a cause, which can be null. */
  public ScriptException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
