// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.Result;
import org.jspecify.annotations.Nullable;

/**
 * What a client remembers of one thread that calls it: the loops that it is in, the innermost last,
 * and its latest calls. Confined to that thread.
 */
public final class CallerThread {

  /** How deeply loops may be nested before the outermost reads key by key again. */
  static final int MAX_NESTING = 8;

  private final @Nullable OpenLoop[] open = new OpenLoop[MAX_NESTING];
  private int depth;

  private final CallRuns runs = new CallRuns();
  private int mapEachDepth;

  CallRuns runs() {
    return runs;
  }

  /** Whether it runs a body of {@code Sheaf.mapEach}, whose round trips others share. */
  boolean isMapping() {
    return mapEachDepth > 0;
  }

  void beginMapping() {
    mapEachDepth++;
  }

  void endMapping() {
    mapEachDepth--;
  }

  /** Whether it is in a loop that reads ahead. */
  boolean isInLoop() {
    return depth > 0;
  }

  /** It begins a loop. */
  void push(OpenLoop loop) {
    while (depth > 0 && isGone(open[depth - 1])) {
      pop();
    }
    if (depth == MAX_NESTING) {
      close(open[0]);
      System.arraycopy(open, 1, open, 0, depth - 1);
      depth--;
    }
    open[depth++] = loop;
  }

  private static boolean isGone(@Nullable OpenLoop loop) {
    return loop == null || loop.get() == null;
  }

  private static void close(@Nullable OpenLoop loop) {
    if (loop != null) {
      loop.close();
    }
  }

  private void pop() {
    depth--;
    close(open[depth]);
    open[depth] = null;
  }

  /**
   * A loop goes on, so those that were begun inside its body are over.
   *
   * @return whether the loop is open here
   */
  boolean resume(OpenLoop loop) {
    if (!contains(loop)) {
      return false;
    }
    while (open[depth - 1] != loop) {
      pop();
    }
    return true;
  }

  private boolean contains(OpenLoop loop) {
    for (int i = depth - 1; i >= 0; i--) {
      if (open[i] == loop) {
        return true;
      }
    }
    return false;
  }

  /** A loop has ended, and with it those that were begun inside its body. */
  void end(OpenLoop loop) {
    if (resume(loop)) {
      pop();
    }
  }

  /**
   * The value that the innermost loop over this key holds for its current iteration.
   *
   * @return null if it has to be asked of the server
   */
  @Nullable Result<?> take(Object key) {
    OpenLoop.@Nullable Values innermost = null;
    for (int i = depth - 1; i >= 0; i--) {
      OpenLoop note = open[i];
      OpenLoop.Values loop = note == null ? null : note.get();
      // An outer loop's value for the same key is older than what the caller is about to see.
      if (loop != null && loop.claims(key) && innermost == null) {
        innermost = loop;
      }
    }
    return innermost == null ? null : innermost.takeCurrent();
  }
}
