// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import dev.sheaf.SheafException;

/**
 * A script ran and failed, or the server refused to run it. The message names the script and has
 * the server's words; the cause is Lettuce's exception. What the script wrote before it failed
 * stays written.
 */
public final class ScriptExecutionException extends SheafException {

  private static final long serialVersionUID = 1L;

  private final String script;

  /** Creates a failure of the script of that name. */
  public ScriptExecutionException(String script, String message, Throwable cause) {
    super(message, cause);
    this.script = script;
  }

  /** The name of the script. */
  public String script() {
    return script;
  }
}
