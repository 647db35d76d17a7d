package dev.sheaf;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A command was refused because too many wait for the same node already; it was not sent. The
 * message names the limit of {@link BatchingOptions} that was reached.
 */
public final class QueueFullException extends SheafException {

  private static final long serialVersionUID = 1L;

  /** Null once it was serialized. */
  private final transient @Nullable LongPredicate room;

  /**
   * Creates the refusal; not for users.
   *
   * @param room what {@link #awaitRoom} does
   * @hidden
   */
  public QueueFullException(String message, LongPredicate room) {
    super(message);
    this.room = room;
  }

  /**
   * Waits until the queue may take more, so that the command is to be tried again; not for users.
   *
   * @param deadlineNanos a time of System.nanoTime
   * @return false if the time is up or the thread is interrupted
   * @hidden
   */
  public boolean awaitRoom(long deadlineNanos) {
    return room != null && room.test(deadlineNanos);
  }
}
