// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/** Threads that work until they are told to stop. Not thread-safe, but for {@link #isStopped}. */
public final class Workers {

  private final AtomicBoolean stop = new AtomicBoolean();
  private final List<Thread> threads = new ArrayList<>();

  /**
   * Starts threads, beside those there are.
   *
   * @param work is given the number of its thread, and looks at {@link #isStopped} now and then
   */
  public void start(int count, String name, IntConsumer work) {
    for (int i = 0; i < count; i++) {
      int number = i;
      Thread thread = new Thread(() -> work.accept(number), name + "-" + i);
      threads.add(thread);
      thread.start();
    }
  }

  /** Whether the threads are to end. */
  public boolean isStopped() {
    return stop.get();
  }

  /**
   * Has the threads end.
   *
   * @param timeout how long to wait for each
   * @return those that have not ended; they are interrupted
   */
  public List<Thread> stop(Duration timeout) throws InterruptedException {
    stop.set(true);
    for (Thread thread : threads) {
      thread.join(timeout.toMillis());
    }
    List<Thread> left = threads.stream().filter(Thread::isAlive).toList();
    left.forEach(Thread::interrupt);
    return left;
  }
}
