// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * Thrown if the connection was lost after a command was sent and before its reply. The command may
 * have run, or not, or may still run when the server reads the rest of the old connection. It was
 * not sent again because it changes data. Reads are sent again automatically.
 */
public final class OutcomeUnknownException extends ConnectionLostException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public OutcomeUnknownException(String command) {
    super(
        command
            + " was sent, but the connection was lost before its reply: whether it ran is unknown."
            + " Read what it should have changed before you send it again");
  }
}
