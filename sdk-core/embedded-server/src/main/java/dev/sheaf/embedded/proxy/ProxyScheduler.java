// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import io.netty.channel.EventLoop;
import java.util.PriorityQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.LockSupport;

/**
 * Delivers the held data of pipes when it is due, to within some microseconds: an event loop's own
 * timer rounds to milliseconds.
 *
 * <p>A thread of its own sleeps until shortly before the earliest due time and wakes the event
 * loop, which spins for the last microseconds. So neither the overshoot of the sleep nor the
 * hand-over adds to the delay. While nothing is held, the thread is parked.
 */
final class ProxyScheduler {

  /** Holds something until it is due. */
  interface Timed {
    /** Returns when its head is due, by {@link System#nanoTime()}. */
    long headDue();

    /** Delivers what is due. Returns whether something is left. */
    boolean releaseDue(long now);
  }

  /**
   * How late a timed park wakes up: the kernel's timer slack (50 µs) and the time to get a
   * processor.
   */
  private static final long PARK_OVERSHOOT_NANOS = 90_000;

  /** How long before the due time the event loop is woken; it spins for the rest. */
  private static final long HAND_OVER_NANOS = 25_000;

  private static final long NOTHING_DUE = Long.MAX_VALUE;

  private final EventLoop loop;
  final Thread thread;

  // Confined to the event loop.
  private final PriorityQueue<Timed> pipes =
      new PriorityQueue<>((a, b) -> Long.signum(a.headDue() - b.headDue()));
  private final long epoch = System.nanoTime();

  /** When to wake the event loop, in nanoseconds after {@link #epoch}. */
  private volatile long wakeAt = NOTHING_DUE;

  private volatile boolean stopped;

  ProxyScheduler(EventLoop loop) {
    this.loop = loop;
    this.thread = new Thread(this::run, "sheaf-latency-proxy-timer");
    thread.setDaemon(true);
    thread.start();
  }

  /** Adds a pipe whose head has a due time. Called on the event loop. */
  void add(Timed pipe) {
    pipes.add(pipe);
    if (pipes.peek() == pipe) {
      arm();
    }
  }

  void remove(Timed pipe) {
    pipes.remove(pipe);
  }

  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  private void arm() {
    Timed next = pipes.peek();
    long due = next == null ? NOTHING_DUE : next.headDue() - epoch - HAND_OVER_NANOS;
    long before = wakeAt;
    wakeAt = due;
    if (due < before) {
      LockSupport.unpark(thread);
    }
  }

  private void releaseDue() {
    // Bounded, so that a dense sequence of due times does not keep the loop from reading.
    long spinUntil = System.nanoTime() + 2 * HAND_OVER_NANOS;
    for (Timed next = pipes.peek(); next != null; next = pipes.peek()) {
      if (next.headDue() - spinUntil > 0) {
        break;
      }
      while (next.headDue() - System.nanoTime() > 0) {
        Thread.onSpinWait();
      }
      pipes.poll();
      if (next.releaseDue(System.nanoTime())) {
        pipes.add(next);
      }
    }
    arm();
  }

  private void run() {
    while (!stopped) {
      long remaining = remaining();
      if (remaining == NOTHING_DUE) {
        LockSupport.park(this);
      } else if (remaining > PARK_OVERSHOOT_NANOS) {
        LockSupport.parkNanos(this, remaining - PARK_OVERSHOOT_NANOS);
      } else if (remaining > 0) {
        Thread.onSpinWait();
      } else {
        wakeLoop();
      }
    }
  }

  private long remaining() {
    long at = wakeAt;
    return at == NOTHING_DUE ? NOTHING_DUE : at - (System.nanoTime() - epoch);
  }

  private void wakeLoop() {
    // The event loop sets the next wake-up after each delivery, always from this or a later state.
    wakeAt = NOTHING_DUE;
    try {
      loop.execute(this::releaseDue);
    } catch (RejectedExecutionException e) {
      stopped = true;
    }
  }
}
