// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.common.Failures;
import io.lettuce.core.RedisCommandInterruptedException;
import io.micrometer.core.instrument.Counter;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The answer to "can Redis be used?": from memory if that is new enough, else by a PING.
 * Thread-safe.
 */
final class AvailabilityDecision {

  /** For how long a yes is given again without a look at the nodes; no node falls in between. */
  private static final Duration REPEAT = Duration.ofMillis(10);

  private final AvailabilityMeters meters;
  private final Object lock = new Object();

  /** Until when every caller with the default age is told yes; moves back when a node changes. */
  private volatile long yesUntil = System.nanoTime();

  private volatile int changes;
  private volatile @Nullable Counter yesCount;
  private volatile boolean closed;

  AvailabilityDecision(AvailabilityMeters meters) {
    this.meters = meters;
  }

  /** A node has changed: what was said before is not said again unseen. */
  void changed() {
    synchronized (lock) {
      changes++;
      yesUntil = System.nanoTime();
    }
  }

  /** The nodes are watched no more. */
  void close() {
    closed = true;
    changed();
  }

  /** The answer for all nodes and callers with the default age, if it is a yes just given. */
  boolean isKnownUp() {
    if (System.nanoTime() - yesUntil >= 0) {
      return false;
    }
    Counter count = yesCount;
    if (count != null) {
      count.increment();
    }
    return true;
  }

  /**
   * Whether these nodes can be used, asked of them if need be.
   *
   * @param isUsual whether these are all nodes and the age is the default, so that a yes is given
   *     again by {@link #isKnownUp}
   */
  boolean isAvailable(List<NodeGuard> nodes, long maxAge, Duration timeout, boolean isUsual) {
    int seen = changes;
    long now = System.nanoTime();
    Tally tally = new Tally(nodes, now, maxAge);
    if (!tally.isDecided()) {
      return ask(tally.stale, maxAge, timeout)
          && new Tally(nodes, System.nanoTime(), Long.MAX_VALUE).isYes();
    }
    meters.answered(tally.source);
    if (isUsual && tally.isYes()) {
      repeat(now + Math.min(REPEAT.toNanos(), maxAge), seen, tally.source);
    }
    return tally.isYes();
  }

  private void repeat(long until, int seen, AvailabilityMeters.Source source) {
    synchronized (lock) {
      if (changes == seen && !closed) {
        yesCount = meters.answers(source);
        yesUntil = until;
      }
    }
  }

  /** Waits for the nodes' answers; whether one was good. */
  private boolean ask(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings =
        nodes.stream().map(node -> node.ping(maxAge, timeout)).toList();
    meters.answered(AvailabilityMeters.Source.PING);
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      return true;
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean answered = false;
    for (CompletableFuture<Duration> ping : pings) {
      try {
        ping.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        answered = true;
      } catch (ExecutionException | TimeoutException e) {
        // Another node may answer.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return answered || (maxAge > 0 && nodes.stream().anyMatch(NodeGuard::seemsWell));
  }

  /** The longest round trip to these nodes, in a future of the caller's own. */
  static CompletableFuture<Duration> ping(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings =
        nodes.stream().map(node -> ping(node, maxAge, timeout)).toList();
    if (pings.size() == 1) {
      return pings.get(0);
    }
    CompletableFuture<Duration> longest = new CompletableFuture<>();
    pings.stream()
        .reduce((one, other) -> one.thenCombine(other, AvailabilityDecision::longer))
        .orElseGet(() -> CompletableFuture.completedFuture(Duration.ZERO))
        .whenComplete(
            (roundTrip, failure) -> {
              if (failure == null) {
                longest.complete(roundTrip);
              } else {
                longest.completeExceptionally(Failures.cause(failure));
              }
            });
    return longest;
  }

  private static CompletableFuture<Duration> ping(NodeGuard node, long maxAge, Duration timeout) {
    Duration recent = maxAge == 0 ? null : node.recentRoundTrip(maxAge);
    return recent == null ? node.ping(maxAge, timeout) : CompletableFuture.completedFuture(recent);
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /**
   * Waits for PINGs as blocking commands wait.
   *
   * @throws IllegalStateException on a thread of Netty
   */
  static Duration await(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      throw new IllegalStateException(
          "ping() would block "
              + Thread.currentThread().getName()
              + ", a thread of Netty that must read the answer itself; use pingAsync()");
    }
    try {
      return ping(nodes, maxAge, timeout).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (TimeoutException e) {
      throw NodePings.late(
          nodes.stream().map(NodeGuard::name).collect(Collectors.joining(", ")), timeout);
    } catch (ExecutionException e) {
      // A new one, so that its stack is that of the waiting thread.
      Throwable cause = Failures.cause(e);
      throw new UnavailableException(String.valueOf(cause.getMessage()), cause);
    }
  }

  /** What the nodes say together. */
  private static final class Tally {

    final List<NodeGuard> stale = new ArrayList<>(0);
    AvailabilityMeters.Source source = AvailabilityMeters.Source.CACHED;
    private int slots;
    private int yes;
    private int no;

    Tally(List<NodeGuard> nodes, long now, long maxAge) {
      for (NodeGuard node : nodes) {
        int weight = node.slots();
        slots += weight;
        switch (node.verdict(now, maxAge)) {
          case TRAFFIC -> {
            yes += weight;
            source = AvailabilityMeters.Source.TRAFFIC;
          }
          case CACHED -> yes += weight;
          case NO -> no += weight;
          case STALE -> stale.add(node);
        }
      }
    }

    boolean isYes() {
      return 2 * yes > slots;
    }

    boolean isDecided() {
      return stale.isEmpty() || isYes() || 2 * no >= slots;
    }
  }
}
