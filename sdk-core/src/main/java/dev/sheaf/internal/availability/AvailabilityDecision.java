package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.UnavailableException;
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
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The answer to "can Redis be used?": from memory if that is new enough, else by a PING.
 * Thread-safe.
 */
final class AvailabilityDecision {

  /** For how long a yes is given again without a look at the nodes; no node falls in between. */
  private static final Duration REPEAT = Duration.ofMillis(10);

  private final Supplier<List<NodeGuard.InCluster>> watched;
  private final AvailabilityMeters meters;
  private final long maxAgeNanos;
  private final Object lock = new Object();

  /** Until when every caller with the default age is told yes; moves back when a node changes. */
  private volatile long yesUntil = System.nanoTime();

  private volatile int changes;
  private volatile @Nullable Counter yesCount;
  private volatile boolean closed;

  AvailabilityDecision(
      Supplier<List<NodeGuard.InCluster>> watched, AvailabilityMeters meters, Duration maxAge) {
    this.watched = watched;
    this.meters = meters;
    this.maxAgeNanos = maxAge.toNanos();
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

  /** The answer for callers with the default age, if it is yes and known without a look. */
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

  /** Whether Redis as a whole can be used, asked of the nodes if need be. */
  boolean isAvailable(long maxAge, Duration timeout) {
    int seen = changes;
    long now = System.nanoTime();
    Tally tally = new Tally(now, maxAge);
    if (!tally.isDecided()) {
      return ask(tally.stale, maxAge, timeout)
          && new Tally(System.nanoTime(), Long.MAX_VALUE).isYes();
    }
    meters.answered(tally.source);
    if (tally.isYes() && maxAge == maxAgeNanos) {
      repeat(now, seen, tally.source);
    }
    return tally.isYes();
  }

  /** Whether one node can be used. */
  boolean isAvailable(NodeGuard guard, long maxAge, Duration timeout) {
    NodeGuard.Verdict verdict = guard.verdict(System.nanoTime(), maxAge);
    if (verdict == NodeGuard.Verdict.STALE) {
      return ask(List.of(guard), maxAge, timeout) && guard.state() == AvailabilityState.UP;
    }
    meters.answered(
        verdict == NodeGuard.Verdict.TRAFFIC
            ? AvailabilityMeters.Source.TRAFFIC
            : AvailabilityMeters.Source.CACHED);
    return verdict != NodeGuard.Verdict.NO;
  }

  private void repeat(long now, int seen, AvailabilityMeters.Source source) {
    synchronized (lock) {
      if (changes == seen && !closed) {
        yesCount = meters.answers(source);
        yesUntil = now + Math.min(REPEAT.toNanos(), maxAgeNanos);
      }
    }
  }

  /** Waits for the nodes' answers; whether one was good. */
  private boolean ask(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings = new ArrayList<>(nodes.size());
    for (NodeGuard node : nodes) {
      pings.add(node.ping(maxAge, timeout));
    }
    meters.answered(AvailabilityMeters.Source.PING);
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      return true;
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean answered = false;
    try {
      for (CompletableFuture<Duration> ping : pings) {
        answered |= await(ping, deadline);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
    return answered || (maxAge > 0 && nodes.stream().anyMatch(NodeGuard::seemsWell));
  }

  private static boolean await(CompletableFuture<Duration> ping, long deadline)
      throws InterruptedException {
    try {
      ping.get(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** The longest round trip to these nodes, in a future of the caller's own. */
  static CompletableFuture<Duration> ping(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings = new ArrayList<>(nodes.size());
    for (NodeGuard node : nodes) {
      Duration recent = maxAge == 0 ? null : node.recentRoundTrip(maxAge);
      pings.add(
          recent == null ? node.ping(maxAge, timeout) : CompletableFuture.completedFuture(recent));
    }
    if (pings.size() == 1) {
      return pings.get(0);
    }
    CompletableFuture<Duration> longest = new CompletableFuture<>();
    CompletableFuture.allOf(pings.toArray(CompletableFuture[]::new))
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                longest.complete(
                    pings.stream().map(CompletableFuture::join).max(Duration::compareTo).get());
              } else {
                longest.completeExceptionally(cause(failure));
              }
            });
    return longest;
  }

  private static Throwable cause(Throwable failure) {
    return failure.getCause() == null ? failure : failure.getCause();
  }

  /** Waits for a PING as blocking commands wait. */
  static Duration await(CompletableFuture<Duration> ping, List<NodeGuard> nodes, Duration timeout) {
    try {
      return ping.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (TimeoutException e) {
      throw NodePings.late(
          nodes.stream().map(NodeGuard::name).collect(Collectors.joining(", ")), timeout);
    } catch (ExecutionException e) {
      // A new one, so that its stack is that of the waiting thread.
      throw new UnavailableException(String.valueOf(cause(e).getMessage()), cause(e));
    }
  }

  static void requireMayBlock() {
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      throw new IllegalStateException(
          "ping() would block "
              + Thread.currentThread().getName()
              + ", a thread of Netty that must read the answer itself; use pingAsync()");
    }
  }

  /** What the nodes say together. */
  private final class Tally {

    final List<NodeGuard> stale = new ArrayList<>(0);
    AvailabilityMeters.Source source = AvailabilityMeters.Source.CACHED;
    private int slots;
    private int yes;
    private int no;

    Tally(long now, long maxAge) {
      for (NodeGuard.InCluster each : watched.get()) {
        int weight = each.node().slots();
        slots += weight;
        switch (each.guard().verdict(now, maxAge)) {
          case TRAFFIC -> {
            yes += weight;
            source = AvailabilityMeters.Source.TRAFFIC;
          }
          case CACHED -> yes += weight;
          case NO -> no += weight;
          case STALE -> stale.add(each.guard());
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
