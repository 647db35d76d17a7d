// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Decodes large replies on threads of their own instead of the event loop. The queue is bounded.
 * When it is full, the event loop decodes, and so reads no faster than replies are decoded.
 * Thread-safe.
 */
final class DecodeThreads {

  /** The most stored bytes in the queue: 64 MiB. */
  static final long MAX_WAITING_BYTES = 64L << 20;

  private static final int IDLE_SECONDS = 10;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final ThreadPoolExecutor executor;
  private final AtomicLong waitingBytes = new AtomicLong();

  DecodeThreads(int threads) {
    executor =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            DecodeThreads::thread);
    executor.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "sheaf-decode-" + NUMBER.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  /** Runs work on a decoding thread, or on the calling thread if the queue is full. */
  void run(long bytes, Runnable work) {
    if (waitingBytes.addAndGet(bytes) > MAX_WAITING_BYTES) {
      waitingBytes.addAndGet(-bytes);
      work.run();
      return;
    }
    try {
      executor.execute(
          () -> {
            try {
              work.run();
            } finally {
              waitingBytes.addAndGet(-bytes);
            }
          });
    } catch (RejectedExecutionException closed) {
      waitingBytes.addAndGet(-bytes);
      work.run();
    }
  }

  /** Accepts no more work, and finishes what is queued. */
  void close() {
    executor.shutdown();
  }
}
