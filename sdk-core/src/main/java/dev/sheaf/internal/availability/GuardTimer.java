// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.internal.common.Timer;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The timer of a guard: runs short tasks later, on one thread of the client. Thread-safe. */
final class GuardTimer implements Timer {

  private static final Logger LOGGER = LoggerFactory.getLogger("dev.sheaf.availability");

  private final EventExecutor thread;
  private final Set<CompletableFuture<?>> pauses = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  GuardTimer(EventExecutor thread) {
    this.thread = thread;
  }

  @Override
  public boolean after(Runnable task, long nanos) {
    return schedule(task, nanos) != null;
  }

  private @Nullable Future<?> schedule(Runnable task, long nanos) {
    try {
      return thread.schedule(() -> run(task), Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException shutDown) {
      return null;
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOGGER.warn("The availability guard failed", e);
    }
  }

  /** Ends when the time is over or the client is closed. It may be cancelled. */
  @SuppressWarnings("CollectionUndefinedEquality") // A pause equals itself alone, as is meant.
  CompletableFuture<?> pause(long nanos) {
    CompletableFuture<@Nullable Void> pause = new CompletableFuture<>();
    pauses.add(pause);
    Future<?> timer = schedule(() -> pause.complete(null), nanos);
    pause.whenComplete(
        (over, cancelled) -> {
          pauses.remove(pause);
          if (timer != null) {
            timer.cancel(false);
          }
        });
    if (timer == null || closed) {
      pause.complete(null);
    }
    return pause;
  }

  /** Ends all pauses, now and later. */
  void close() {
    closed = true;
    pauses.forEach(pause -> pause.complete(null));
  }
}
