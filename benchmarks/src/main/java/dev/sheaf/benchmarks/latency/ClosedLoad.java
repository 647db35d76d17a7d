// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that start an operation as soon as the last one has ended. They live from the start of
 * the warm-up to the end of the measured time, like those of an application.
 */
public final class ClosedLoad {

  private static final double NANOS_PER_SECOND = 1e9;

  private final LongAdder done = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean ended;

  private ClosedLoad() {}

  /**
   * The measurements.
   *
   * @param operations the number of completed operations
   * @param nanos their duration
   */
  public record Count(long operations, long nanos) {

    /** Returns the operations per second of all threads together. */
    public double perSecond() {
      return operations * NANOS_PER_SECOND / nanos;
    }
  }

  /**
   * Runs for some time.
   *
   * @param task creates the operation of each thread
   * @param gate passed when the measured time starts and when it ends, while the threads continue
   * @throws IllegalStateException if an operation failed
   */
  public static Count run(
      int threads,
      ThreadFactory factory,
      Supplier<Runnable> task,
      long warmUpMillis,
      long measuredMillis,
      Runnable gate)
      throws InterruptedException {
    ClosedLoad load = new ClosedLoad();
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Runnable each = task.get();
      running.add(factory.newThread(() -> load.work(each)));
    }
    try {
      running.forEach(Thread::start);
      load.sleep(warmUpMillis);
      gate.run();
      long start = System.nanoTime();
      long before = load.done.sum();
      load.sleep(measuredMillis);
      Count count = new Count(load.done.sum() - before, System.nanoTime() - start);
      gate.run();
      return count;
    } finally {
      load.ended = true;
      for (Thread thread : running) {
        thread.join();
      }
      load.check();
    }
  }

  /** As above on this thread alone, for few operations: whole ones are timed. */
  public static Count runAlone(
      Runnable task, long warmUpMillis, long measuredMillis, Runnable gate) {
    repeat(task, warmUpMillis);
    gate.run();
    Count count = repeat(task, measuredMillis);
    gate.run();
    return count;
  }

  private static Count repeat(Runnable task, long millis) {
    long start = System.nanoTime();
    long until = TimeUnit.MILLISECONDS.toNanos(millis);
    long operations = 0;
    long nanos = 0;
    while (nanos < until) {
      task.run();
      operations++;
      nanos = System.nanoTime() - start;
    }
    return new Count(operations, nanos);
  }

  private void work(Runnable task) {
    try {
      while (!ended) {
        task.run();
        done.increment();
      }
    } catch (Throwable e) {
      failure.compareAndSet(null, e);
    }
  }

  private void sleep(long millis) throws InterruptedException {
    Thread.sleep(millis);
    check();
  }

  private void check() {
    Throwable thrown = failure.get();
    if (thrown != null) {
      ended = true;
      throw new IllegalStateException("An operation failed: " + thrown, thrown);
    }
  }
}
