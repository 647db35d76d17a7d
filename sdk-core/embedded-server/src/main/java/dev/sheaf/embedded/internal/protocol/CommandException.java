// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.protocol;

/** Ends a command with an error reply. It carries no stack: errors are part of normal work here. */
public final class CommandException extends RuntimeException {
  /** {@code line} is the whole error line with its code. */
  public CommandException(String line) {
    super(line, null, false, false);
  }

  public String line() {
    return String.valueOf(getMessage());
  }
}
