// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.SheafException;
import dev.sheaf.internal.common.Limits;
import dev.sheaf.internal.pipeline.WriteScope;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code Sheaf.mapEach}: bodies that run concurrently, so that their reads share
 * batches.
 *
 * <p>Workers take one item after the other. If threads are limited, the caller is a worker too, so
 * that a nested call makes progress even if all threads are busy.
 */
public final class MapEach<T, R extends @Nullable Object> {

  /** Most further failures to add as suppressed exceptions. */
  static final int MAX_SUPPRESSED = 16;

  /** How long an interrupted caller waits for its interrupted bodies to end: 1 second. */
  static final Duration INTERRUPT_GRACE = Duration.ofSeconds(1);

  private final Object[] items;
  private final Function<? super T, ? extends R> body;
  private final @Nullable Object[] results;
  private final ThreadLocal<CallerThread> callers;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition allEnded = lock.newCondition();

  // Guarded by the lock.
  private final Set<Thread> working = new HashSet<>();
  private int next;
  private boolean stopped;
  private @Nullable Throwable failure;

  private MapEach(
      Object[] items, Function<? super T, ? extends R> body, ThreadLocal<CallerThread> callers) {
    this.items = items;
    this.body = body;
    this.results = new Object[items.length];
    this.callers = callers;
  }

  public static <T, R extends @Nullable Object> List<R> run(
      Collection<? extends T> items,
      Function<? super T, ? extends R> body,
      EachThreads threads,
      ThreadLocal<CallerThread> callers) {
    Objects.requireNonNull(items, "items");
    Objects.requireNonNull(body, "body");
    MapEach<T, R> each = new MapEach<>(items.toArray(), body, callers);
    WriteScope.release();
    each.start(threads);
    each.await();
    return each.outcome();
  }

  private void start(EachThreads threads) {
    int workers = Math.min(items.length, Limits.MAP_EACH_BODIES);
    int helpers = threads.areUnlimited() ? workers : workers - 1;
    for (int i = 0; i < helpers; i++) {
      threads.start(this::work);
    }
    if (!threads.areUnlimited()) {
      work();
    }
  }

  private void work() {
    CallerThread thread = callers.get();
    thread.beginMapping();
    try {
      for (int index = begin(); index >= 0; index = begin()) {
        Throwable thrown = null;
        try {
          results[index] = body.apply(itemAt(index));
        } catch (Throwable e) {
          thrown = e;
        }
        end(thrown);
      }
    } finally {
      thread.endMapping();
    }
  }

  @SuppressWarnings("unchecked") // The items are those of a collection of T.
  private T itemAt(int index) {
    return (T) items[index];
  }

  /** The index of the next item, or -1. */
  private int begin() {
    lock.lock();
    try {
      if (stopped || next == items.length) {
        return -1;
      }
      working.add(Thread.currentThread());
      return next++;
    } finally {
      lock.unlock();
    }
  }

  private void end(@Nullable Throwable thrown) {
    lock.lock();
    try {
      working.remove(Thread.currentThread());
      if (thrown != null) {
        stopped = true;
        record(thrown);
      }
      if (isOver()) {
        allEnded.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void record(Throwable thrown) {
    if (failure == null) {
      failure = thrown;
    } else if (failure != thrown && failure.getSuppressed().length < MAX_SUPPRESSED) {
      failure.addSuppressed(thrown);
    }
  }

  private boolean isOver() {
    return working.isEmpty() && (stopped || next == items.length);
  }

  private void await() {
    lock.lock();
    try {
      while (!isOver()) {
        allEnded.await();
      }
    } catch (InterruptedException e) {
      cancel();
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } finally {
      lock.unlock();
    }
  }

  /** Interrupts the bodies and waits briefly for their end. Called with the lock. */
  private void cancel() {
    stopped = true;
    working.forEach(Thread::interrupt);
    long nanos = INTERRUPT_GRACE.toNanos();
    try {
      while (!isOver() && nanos > 0) {
        nanos = allEnded.awaitNanos(nanos);
      }
    } catch (InterruptedException again) {
      // The caller was interrupted again.
    }
  }

  @SuppressWarnings("unchecked") // The results are those of the body.
  private List<R> outcome() {
    Throwable thrown = failure;
    if (thrown instanceof RuntimeException e) {
      throw e;
    }
    if (thrown instanceof Error e) {
      throw e;
    }
    if (thrown != null) {
      throw new SheafException("A body of mapEach failed: " + thrown, thrown);
    }
    return (List<R>) Collections.unmodifiableList(Arrays.asList(results));
  }
}
