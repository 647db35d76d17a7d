// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

/** Ends a command with an error reply. It has no stack trace, because errors are frequent here. */
public final class CommandException extends RuntimeException {
  /** {@code line} is the whole error line, code included. */
  public CommandException(String line) {
    super(line, null, false, false);
  }

  public String line() {
    return String.valueOf(getMessage());
  }
}
