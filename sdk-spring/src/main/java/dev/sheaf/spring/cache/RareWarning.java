// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A rate-limited log warning. Thread-safe. */
final class RareWarning {

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.spring");

  /** The shortest interval between two warnings: 10 seconds. */
  private static final long APART_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong loggedAtNanos = new AtomicLong(System.nanoTime() - APART_NANOS);

  void log(Supplier<String> text) {
    long now = System.nanoTime();
    long last = loggedAtNanos.get();
    if (now - last >= APART_NANOS && loggedAtNanos.compareAndSet(last, now)) {
      LOG.warn(text.get());
    }
  }
}
