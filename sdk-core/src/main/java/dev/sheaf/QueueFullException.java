package dev.sheaf;

import org.jspecify.annotations.Nullable;

/**
 * A command was refused because too many wait for the same node already; it was not sent. The
 * message names the limit of {@link BatchingOptions} that was reached.
 */
public final class QueueFullException extends SheafException {

  private static final long serialVersionUID = 1L;

  private final transient @Nullable Room room;
  private final transient long freesSeen;

  QueueFullException(String message, Room room) {
    super(message);
    this.room = room;
    this.freesSeen = room.frees();
  }

  /**
   * Waits until the queue may take more, so that the command is to be tried again; false if the
   * time is up or the thread is interrupted.
   */
  boolean awaitRoom(long deadlineNanos) {
    try {
      return room != null && room.awaitFree(freesSeen, deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
