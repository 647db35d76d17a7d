// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import dev.sheaf.internal.command.WriteClock;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The thread's own note of a loop that it runs. It does not keep the loop alive: one that is left
 * by break goes with the stack frame it was begun in, and takes its values along.
 */
final class OpenLoop extends WeakReference<OpenLoop.Values> {

  private final WriteClock writes;
  private final Set<OpenLoop> joined;

  /** Spares a loop that goes on the look-up for each value. Of the thread that runs it. */
  private boolean isJoined;

  /** What a loop has read ahead. */
  interface Values {

    /**
     * Whether a GET of this key is the first one of the current iteration's own key. From then on
     * it is not.
     */
    boolean claims(Object key);

    /** The value of the current iteration, or null if it has to be asked of the server. */
    @Nullable Result<?> takeCurrent();
  }

  /**
   * Creates a note.
   *
   * @param abandoned where it is found if the loop is never ended
   * @param writes what a loop that holds values has to know of
   * @param joined the loops that may hold values, which keeps their notes from going unnoticed
   */
  OpenLoop(Values loop, ReferenceQueue<Values> abandoned, WriteClock writes, Set<OpenLoop> joined) {
    super(loop, abandoned);
    this.writes = writes;
    this.joined = joined;
  }

  /** From now on the loop may hold values. */
  void join() {
    if (!isJoined) {
      isJoined = true;
      joined.add(this);
      writes.join();
    }
  }

  /** The loop is over. It may be called again, and by another thread if the loop was abandoned. */
  void close() {
    clear();
    if (joined.remove(this)) {
      writes.leave();
    }
  }
}
