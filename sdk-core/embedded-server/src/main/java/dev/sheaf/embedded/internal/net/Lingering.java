// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Has the event loop look for work a moment longer before it sleeps, while clients that share it
 * come back within that moment: waking the loop takes longer than a request, and falls to the
 * client. One moment in vain ends it, until a client comes back soon again. Confined to the event
 * loop.
 */
final class Lingering implements SelectStrategy {
  /** Some times what it takes to wake a caller and to have its next command. */
  static final long MOST_NANOS = 50_000;

  /** Asking the kernel for other clients' bytes costs more than looking for tasks. */
  static final int LOOKS_PER_SELECT = 16;

  /** On a single core no client could come meanwhile. */
  private static final boolean USEFUL = Runtime.getRuntime().availableProcessors() > 1;

  private final LongSupplier nanoTime;
  private long servedAt;
  private final boolean useful;
  private boolean lingers;
  private int looks;

  Lingering() {
    this(System::nanoTime, USEFUL);
  }

  /** With another clock, whose values are nanoseconds. */
  Lingering(LongSupplier nanoTime, boolean useful) {
    this.nanoTime = nanoTime;
    this.useful = useful;
    this.servedAt = nanoTime.getAsLong() - MOST_NANOS;
  }

  /** A client on this event loop has sent something. */
  void called() {
    lingers = useful && nanoTime.getAsLong() - servedAt < MOST_NANOS;
  }

  /** It has its replies. */
  void served() {
    servedAt = nanoTime.getAsLong();
  }

  @Override
  public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
    if (hasTasks) {
      return selectNow.get();
    }
    if (!lingers) {
      return SELECT;
    }
    if (nanoTime.getAsLong() - servedAt >= MOST_NANOS) {
      lingers = false;
      return SELECT;
    }
    if (++looks % LOOKS_PER_SELECT == 0) {
      return selectNow.get();
    }
    Thread.onSpinWait();
    return CONTINUE;
  }
}
