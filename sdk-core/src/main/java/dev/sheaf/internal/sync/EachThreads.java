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
 * The threads for bodies of {@code Sheaf.mapEach}: virtual ones where the JVM has them, else a pool
 * of the client. Thread-safe.
 */
public final class EachThreads implements AutoCloseable {

  private static final String THREAD_NAME = "sheaf-map-each-";

  /** How long an idle thread of the pool is kept: 1 second. */
  private static final long IDLE_SECONDS = 1;

  /** Most queued tasks; further ones are dropped, and their callers do the work themselves. */
  private static final int MAX_WAITING_REQUESTS = 4_096;

  private final @Nullable ThreadFactory virtual;
  private final @Nullable ThreadPoolExecutor pool;

  private EachThreads(@Nullable ThreadFactory virtual, @Nullable ThreadPoolExecutor pool) {
    this.virtual = virtual;
    this.pool = pool;
  }

  /** Virtual threads if this JVM has them, else a pool. */
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
              // Without inherited thread-locals, as it serves other callers later.
              String name = THREAD_NAME + number.incrementAndGet();
              Thread thread = new Thread(null, task, name, 0, false);
              thread.setDaemon(true);
              return thread;
            },
            new ThreadPoolExecutor.DiscardPolicy());
    pool.allowCoreThreadTimeOut(true);
    return new EachThreads(null, pool);
  }

  /** Thread.ofVirtual().name(…).factory(), available since JDK 21. */
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

  /** Whether threads are unlimited, so that a caller need not work itself. */
  boolean areUnlimited() {
    return virtual != null;
  }

  /** Runs a task, at once or when a thread is free; possibly never, if threads are limited. */
  void start(Runnable task) {
    if (virtual != null) {
      virtual.newThread(task).start();
    } else if (pool != null) {
      pool.execute(task);
    }
  }

  /** Shuts down the pool once its threads are idle. */
  @Override
  public void close() {
    if (pool != null) {
      pool.shutdown();
    }
  }
}
