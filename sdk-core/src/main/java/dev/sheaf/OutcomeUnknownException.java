// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * The connection was lost after a command was sent and before its reply: it may have run, or not,
 * or may run yet, when the server reads the rest of the old connection. It changes data, so it was
 * not sent again. Commands that only read are sent again by themselves.
 */
public final class OutcomeUnknownException extends ConnectionLostException {

  private static final long serialVersionUID = 1L;

  /** Creates the failure. */
  public OutcomeUnknownException(String command) {
    super(
        command
            + " was sent, but the connection was lost before its reply: whether it ran is unknown."
            + " Read what it should have changed before you send it again");
  }
}
