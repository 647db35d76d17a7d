// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * Thrown if the connection was lost after a command was sent and before its reply, and the command
 * was not sent again; or if there was no connection to send it on. The message has the reason.
 * Commands that change data fail with {@link OutcomeUnknownException}.
 */
public class ConnectionLostException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public ConnectionLostException(String message) {
    super(message);
  }
}
