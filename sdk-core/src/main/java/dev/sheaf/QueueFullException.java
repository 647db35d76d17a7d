// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

/**
 * Thrown if a command was not sent because the queue of the node connection is full. The message
 * names the limits, which are set in {@link BatchingOptions}.
 */
public final class QueueFullException extends SheafException {

  private static final long serialVersionUID = 1;

  public QueueFullException(String message) {
    super(message);
  }
}
