// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import dev.sheaf.internal.common.Limits;
import java.lang.reflect.Method;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The threads that bodies of {@code Sheaf.mapEach} run on: virtual ones where the JVM has them,
 * else a pool of the client. Thread-safe.
 */
public final class EachThreads implements AutoCloseable {

  private static final String THREAD_NAME = "sheaf-map-each-";

  /** How long a thread of the pool waits for work before it ends: 1 second. */
  private static final long IDLE_SECONDS = 1;

  /** How many requests for a thread may wait; one more is ignored, its caller works by itself. */
  private static final int MAX_WAITING_REQUESTS = 4_096;

  private final @Nullable ThreadFactory virtual;
  private final @Nullable ThreadPoolExecutor pool;

  private EachThreads(@Nullable ThreadFactory virtual, @Nullable ThreadPoolExecutor pool) {
    this.virtual = virtual;
    this.pool = pool;
  }

  /** Virtual threads if there are any in this JVM, else a pool. */
  public static EachThreads best() {
    ThreadFactory virtual = virtualThreads();
    return virtual == null ? pooled() : new EachThreads(virtual, null);
  }

  /** A pool, whatever the JVM. */
  static EachThreads pooled() {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            Limits.MAP_EACH_POOL_THREADS,
            Limits.MAP_EACH_POOL_THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_WAITING_REQUESTS),
            task -> {
              // Inherits nothing: it serves other callers later.
              String name = THREAD_NAME + number.incrementAndGet();
              Thread thread = new Thread(null, task, name, 0, false);
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    return new EachThreads(null, pool);
  }

  /** Thread.ofVirtual().name(…).factory(), which the JDK has since 21. */
  private static @Nullable ThreadFactory virtualThreads() {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      Method name = type.getMethod("name", String.class, long.class);
      return (ThreadFactory) type.getMethod("factory").invoke(name.invoke(builder, THREAD_NAME, 1));
    } catch (ReflectiveOperationException | RuntimeException notThere) {
      return null; // On 19 and 20 it is there as a preview, and refuses.
    }
  }

  /** Whether a thread can always be had, so that a caller need not work by itself. */
  boolean areUnlimited() {
    return virtual != null;
  }

  /** Runs the task on some thread, at once or when one is free; perhaps never, if limited. */
  void start(Runnable task) {
    if (virtual != null) {
      virtual.newThread(task).start();
    } else if (pool != null) {
      pool.execute(task);
    }
  }

  /** Lets the pool's threads end once they are idle. */
  @Override
  public void close() {
    if (pool != null) {
      pool.shutdown();
    }
  }
}
