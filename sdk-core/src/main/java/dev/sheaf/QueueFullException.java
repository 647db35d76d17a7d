// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * A command was not sent because as many wait already as the queue of the node connection may hold.
 * The message names the limits, which are in {@link BatchingOptions}.
 */
public final class QueueFullException extends SheafException {

  private static final long serialVersionUID = 1;

  public QueueFullException(String message) {
    super(message);
  }
}
