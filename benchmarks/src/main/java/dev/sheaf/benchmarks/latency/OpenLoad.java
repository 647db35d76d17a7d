// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.latency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Operations on a schedule that does not depend on the client's speed. Their start times are
 * random, like those of independent visitors. The time of an operation counts from its scheduled
 * start, even if its thread was still waiting for the previous one. So a stall counts for all
 * operations that it delayed (no coordinated omission).
 */
public final class OpenLoad {

  private static final double NANOS_PER_SECOND = 1e9;
  private static final int DIGITS = 3;

  /**
   * How long a load that is behind its schedule continues; operations left then count with their
   * time so far.
   */
  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final int threads;
  private final double perSecond;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile long countsFrom = Long.MAX_VALUE;
  private volatile long countsTo = Long.MAX_VALUE;

  private OpenLoad(int threads, double perSecond) {
    this.threads = threads;
    this.perSecond = perSecond;
  }

  /**
   * Runs for some time.
   *
   * @param perSecond the operations per second of all threads together
   * @param gate passed when the measured time starts and when it ends
   * @return the times in nanoseconds of the operations scheduled in the measured time
   * @throws IllegalStateException if an operation failed
   */
  public static Histogram run(
      int threads,
      double perSecond,
      Supplier<Runnable> task,
      long warmUpMillis,
      long measuredMillis,
      Runnable gate)
      throws InterruptedException {
    OpenLoad load = new OpenLoad(threads, perSecond);
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      readers.add(load.new Reader(task.get()));
    }
    long start = System.nanoTime();
    for (Reader reader : readers) {
      reader.due = start;
      reader.start();
    }
    Histogram all = new Histogram(DIGITS);
    try {
      Thread.sleep(warmUpMillis);
      gate.run();
      // Compared as distances from the start, which cannot overflow.
      load.countsFrom = System.nanoTime() - start;
      Thread.sleep(measuredMillis);
    } finally {
      load.countsTo = System.nanoTime() - start;
      gate.run();
      for (Reader reader : readers) {
        reader.join();
        all.add(reader.times);
      }
    }
    Throwable thrown = load.failure.get();
    if (thrown != null) {
      throw new IllegalStateException("An operation failed: " + thrown, thrown);
    }
    return all;
  }

  private final class Reader extends Thread {

    private final Histogram times = new Histogram(DIGITS);
    private final Runnable task;
    private long due;

    Reader(Runnable task) {
      this.task = task;
      setDaemon(true);
    }

    @Override
    public void run() {
      long start = due;
      try {
        advance();
        while (due - start < countsTo) {
          long now = System.nanoTime();
          if (due - now > 0) {
            LockSupport.parkNanos(due - now);
            continue;
          }
          if (now - start < countsTo || now - start - countsTo < GRACE_NANOS) {
            task.run();
          }
          if (due - start >= countsFrom) {
            times.recordValue(System.nanoTime() - due);
          }
          advance();
        }
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      }
    }

    private void advance() {
      double chance = 1 - ThreadLocalRandom.current().nextDouble();
      due += (long) (-Math.log(chance) * NANOS_PER_SECOND * threads / perSecond);
    }
  }
}
