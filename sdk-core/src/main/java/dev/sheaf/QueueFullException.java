package dev.sheaf;

import org.jspecify.annotations.Nullable;

/**
 * A command was refused because too many wait for the same node already; it was not sent. The
 * message names the limit of {@link BatchingOptions} that was reached.
 */
public final class QueueFullException extends SheafException {

  private static final long serialVersionUID = 1L;

  private final transient @Nullable Room room;

  QueueFullException(String message, Room room) {
    super(message);
    this.room = room;
  }

  /** Waits until the queue takes more; false if the time is up or the thread is interrupted. */
  boolean awaitRoom(long deadlineNanos) {
    try {
      return room != null && room.await(deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
