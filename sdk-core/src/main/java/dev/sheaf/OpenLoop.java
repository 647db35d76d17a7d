package dev.sheaf;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;

/**
 * The thread's own note of a loop that it runs. It does not keep the loop alive: one that is left
 * by break goes with the stack frame it was begun in, and takes its values along.
 */
final class OpenLoop extends WeakReference<KeyLoop<?, ?, ?>> {

  private final WriteClock writes;
  private boolean joined;

  OpenLoop(KeyLoop<?, ?, ?> loop, ReferenceQueue<KeyLoop<?, ?, ?>> abandoned, WriteClock writes) {
    super(loop, abandoned);
    this.writes = writes;
  }

  /** From now on the loop may hold values, and has to know of writes. */
  synchronized void join() {
    if (!joined) {
      joined = true;
      writes.join();
    }
  }

  /** The loop is over. It may be called again, and by another thread if the loop was abandoned. */
  synchronized void close() {
    clear();
    if (joined) {
      joined = false;
      writes.leave();
    }
  }
}
