// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * A work buffer that one thread borrows at a time. The number of pooled buffers is bounded by the
 * processors, not by the threads, of which there may be a million.
 */
final class Scratch implements AutoCloseable {

  /** Larger buffers are not kept. */
  private static final int MAX_KEPT_BYTES = 256 << 10;

  private static final int INITIAL_BYTES = 4 << 10;
  private static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 64;

  /** More slots than threads that run at the same time, so that they rarely collide. */
  private static final int SLOTS =
      Integer.highestOneBit(Math.min(64, 4 * Runtime.getRuntime().availableProcessors()));

  private static final AtomicReferenceArray<@Nullable Scratch> KEPT =
      new AtomicReferenceArray<>(SLOTS);

  private byte[] buffer = new byte[INITIAL_BYTES];

  private Scratch() {}

  /** Borrows a buffer for the calling thread, until it is closed. */
  static Scratch borrow() {
    Scratch kept = KEPT.getAndSet(slot(), null);
    return kept == null ? new Scratch() : kept;
  }

  private static int slot() {
    return (int) Thread.currentThread().getId() & SLOTS - 1;
  }

  /**
   * Returns the buffer, with undefined content.
   *
   * @throws IllegalArgumentException if an array of that size is impossible
   */
  byte[] ofAtLeast(long bytes) {
    if (buffer.length < bytes) {
      if (bytes > MAX_ARRAY_BYTES) {
        throw new IllegalArgumentException(
            "A value that may take " + bytes + " bytes cannot be compressed");
      }
      buffer = new byte[(int) Math.max(bytes, Math.min(2L * buffer.length, MAX_KEPT_BYTES))];
    }
    return buffer;
  }

  byte[] buffer() {
    return buffer;
  }

  /** Returns the buffer to the pool. */
  @Override
  public void close() {
    if (buffer.length <= MAX_KEPT_BYTES) {
      KEPT.set(slot(), this);
    }
  }
}
