// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.command;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * When the blocking call of the current thread began, if that was before its command was made:
 * while it waited for room in a queue.
 */
public final class CallBegin {

  private static final ThreadLocal<@Nullable Long> OF_THREAD = new ThreadLocal<>();

  /** How many threads have one: while there is none, no thread looks for its own. */
  private static final AtomicInteger THREADS = new AtomicInteger();

  private CallBegin() {}

  /** Runs a call that began earlier, by System.nanoTime. */
  public static <T extends @Nullable Object> T earlier(long nanos, Callable<T> call)
      throws Exception {
    THREADS.incrementAndGet();
    OF_THREAD.set(nanos);
    try {
      return call.call();
    } finally {
      OF_THREAD.remove();
      THREADS.decrementAndGet();
    }
  }

  /** Notes it for a command that is made now. */
  public static void note(EncodedCommand<?, ?, ?> command) {
    if (THREADS.get() > 0) {
      Long began = OF_THREAD.get();
      if (began != null) {
        command.calledBy(began);
      }
    }
  }
}
