// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.lua;

/**
 * A script failed, or does not compile. The message is the whole error line with its code, one char
 * per byte (ISO 8859-1).
 */
public final class ScriptException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ScriptException(String line) {
    super(line, null, false, false);
  }

  /** The line is a form of {@link String#format}. */
  static void when(boolean wrong, String form, Object... values) {
    if (wrong) {
      throw new ScriptException(form.formatted(values));
    }
  }

  public String line() {
    return String.valueOf(getMessage());
  }
}
