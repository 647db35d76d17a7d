package dev.sheaf.benchmarks.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Threads that begin an operation as soon as the last one has ended. They live from the beginning
 * of the warm-up to the end of the measured time, as those of an application do.
 */
public final class ClosedLoad {

  /** Counters of different threads lie in different cache lines. */
  private static final int STRIDE = 16;

  private static final double NANOS_PER_SECOND = 1e9;

  private final int threads;
  private final AtomicLongArray done;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean ended;

  private ClosedLoad(int threads) {
    this.threads = threads;
    this.done = new AtomicLongArray(threads * STRIDE);
  }

  /**
   * What was counted.
   *
   * @param operations how many ended
   * @param nanos in which time
   */
  public record Count(long operations, long nanos) {

    /** Operations a second, of all threads together. */
    public double perSecond() {
      return operations * NANOS_PER_SECOND / nanos;
    }
  }

  /**
   * Runs for a while.
   *
   * @param task makes the operation of each thread
   * @param gate passed when the measured time begins and when it ends, while the threads go on
   * @throws IllegalStateException if an operation failed
   */
  public static Count run(
      int threads,
      ThreadFactory factory,
      Supplier<Runnable> task,
      long warmUpMillis,
      long measuredMillis,
      Gate gate)
      throws InterruptedException {
    ClosedLoad load = new ClosedLoad(threads);
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      Runnable each = task.get();
      running.add(factory.newThread(() -> load.work(number, each)));
    }
    try {
      running.forEach(Thread::start);
      load.sleep(warmUpMillis);
      gate.pass();
      long start = System.nanoTime();
      long before = load.total();
      load.sleep(measuredMillis);
      Count count = new Count(load.total() - before, System.nanoTime() - start);
      gate.pass();
      return count;
    } finally {
      load.ended = true;
      for (Thread thread : running) {
        thread.join();
      }
      load.check();
    }
  }

  /** The same by this thread alone, for operations that are few: whole ones are timed. */
  public static Count runAlone(Runnable task, long warmUpMillis, long measuredMillis, Gate gate) {
    repeat(task, warmUpMillis);
    gate.pass();
    Count count = repeat(task, measuredMillis);
    gate.pass();
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

  private void work(int number, Runnable task) {
    try {
      long count = 0;
      while (!ended) {
        task.run();
        count++;
        done.setRelease(number * STRIDE, count);
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

  private long total() {
    long total = 0;
    for (int i = 0; i < threads; i++) {
      total += done.getAcquire(i * STRIDE);
    }
    return total;
  }
}
