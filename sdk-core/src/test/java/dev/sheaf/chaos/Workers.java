// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.chaos;

import dev.sheaf.testkit.VirtualThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;

/**
 * Threads that work until they are told to stop, virtual ones with {@code -Dchaos.virtual=true}.
 * Not thread-safe, but for {@link #isStopped}.
 */
public final class Workers {

  private static final boolean VIRTUAL = Boolean.getBoolean("chaos.virtual");

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
      Runnable task = () -> work.accept(number);
      Thread thread = VIRTUAL ? VirtualThreads.unstarted(task) : new Thread(task);
      thread.setName(name + "-" + i);
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
