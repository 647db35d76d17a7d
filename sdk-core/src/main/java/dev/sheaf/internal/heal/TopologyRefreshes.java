package dev.sheaf.internal.heal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The looks of one client at the topology of its cluster: one at a time, in the pace of the JVM.
 * All that ask before one begins share it. Thread-safe.
 */
public final class TopologyRefreshes {

  private final Supplier<? extends CompletionStage<Void>> refresh;
  private final RefreshPace pace;
  private final Timer timer;

  private @Nullable CompletableFuture<Void> waiting;
  private boolean running;

  /**
   * Begins with the first request.
   *
   * @param refresh looks at the topology, without blocking
   */
  public TopologyRefreshes(
      Supplier<? extends CompletionStage<Void>> refresh, RefreshPace pace, Timer timer) {
    this.refresh = refresh;
    this.pace = pace;
    this.timer = timer;
  }

  /** Asks for a look that begins from now on; the result ends with it, and may not be completed. */
  public CompletableFuture<Void> request() {
    CompletableFuture<Void> mine;
    boolean first = false;
    synchronized (this) {
      mine = waiting;
      if (mine == null) {
        mine = new CompletableFuture<>();
        waiting = mine;
        first = !running;
      }
    }
    if (first) {
      beginLater();
    }
    // A copy: that one caller cancels its own concerns nobody else.
    return mine.copy();
  }

  private void beginLater() {
    if (!timer.after(this::begin, pace.takeTurn())) {
      begin();
    }
  }

  private void begin() {
    CompletableFuture<Void> mine;
    synchronized (this) {
      mine = waiting;
      if (mine == null || running) {
        return;
      }
      waiting = null;
      running = true;
    }
    try {
      refresh.get().whenComplete((done, failure) -> ended(mine, failure));
    } catch (RuntimeException e) {
      ended(mine, e);
    }
  }

  private void ended(CompletableFuture<Void> look, @Nullable Throwable failure) {
    boolean more;
    synchronized (this) {
      running = false;
      more = waiting != null;
    }
    if (more) {
      beginLater();
    }
    if (failure == null) {
      look.complete(null);
    } else {
      look.completeExceptionally(failure);
    }
  }
}
