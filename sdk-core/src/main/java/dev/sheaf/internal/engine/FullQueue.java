package dev.sheaf.internal.engine;

import dev.sheaf.QueueFullException;
import dev.sheaf.internal.command.CallBegin;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What a blocking caller does about a full queue: it waits for room, and calls again. */
public final class FullQueue {

  private FullQueue() {}

  /** Other interfaces translate exceptions, and keep them as the cause. Null if it is another. */
  public static @Nullable QueueFullException in(RuntimeException refused) {
    if (refused instanceof QueueFullException full) {
      return full;
    }
    return refused.getCause() instanceof QueueFullException full ? full : null;
  }

  /**
   * Calls again, and once more whenever others were quicker, until the time-out, which begins here
   * and is that of the command as well.
   *
   * @param full why the call was refused, before anything of it was sent
   */
  public static <T extends @Nullable Object> T callWhenThereIsRoom(
      QueueFullException full, Duration timeout, Callable<T> call) throws Exception {
    long beganNanos = System.nanoTime();
    long deadlineNanos = beganNanos + timeout.toNanos();
    QueueFullException refusal = full;
    while (refusal.awaitRoom(deadlineNanos)) {
      try {
        return CallBegin.earlier(beganNanos, call);
      } catch (RuntimeException again) {
        QueueFullException stillFull = in(again);
        if (stillFull == null) {
          throw again;
        }
        refusal = stillFull;
      }
    }
    throw refusal;
  }
}
