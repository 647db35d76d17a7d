package dev.sheaf;

/**
 * A command was refused because too many wait for the same node already; it was not sent. The
 * message names the limit of {@link BatchingOptions} that was reached.
 */
public final class QueueFullException extends SheafException {

  private static final long serialVersionUID = 1L;

  QueueFullException(String message) {
    super(message);
  }
}
