// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * The connection was lost after a command was sent and before its reply, and the command was not
 * sent again: see the message, and {@link OutcomeUnknownException} for commands that change data.
 */
public class ConnectionLostException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Creates the failure. */
  public ConnectionLostException(String message) {
    super(message);
  }
}
