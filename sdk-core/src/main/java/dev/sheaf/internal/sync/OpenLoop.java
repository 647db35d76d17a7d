package dev.sheaf.internal.sync;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * The thread's own note of a loop that it runs. It does not keep the loop alive: one that is left
 * by break goes with the stack frame it was begun in, and takes its values along.
 */
final class OpenLoop extends WeakReference<KeyLoop<?, ?, ?>> {

  private final KeyLoops<?, ?> loops;

  /** Spares a loop that goes on the look-up for each value. Of the thread that runs it. */
  private boolean joined;

  OpenLoop(
      KeyLoop<?, ?, ?> loop, ReferenceQueue<KeyLoop<?, ?, ?>> abandoned, KeyLoops<?, ?> loops) {
    super(loop, abandoned);
    this.loops = loops;
  }

  /** From now on the loop may hold values. */
  void join() {
    if (!joined) {
      joined = true;
      loops.join(this);
    }
  }

  /** The loop is over. It may be called again, and by another thread if the loop was abandoned. */
  void close() {
    clear();
    loops.leave(this);
  }
}
