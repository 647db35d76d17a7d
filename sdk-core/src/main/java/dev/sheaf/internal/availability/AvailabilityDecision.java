// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.availability.NodeGuard.Verdict;
import dev.sheaf.internal.common.Failures;
import io.lettuce.core.RedisCommandInterruptedException;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** Answers "can Redis be used?": from memory if that is recent enough, else with a PING. */
final class AvailabilityDecision {

  private AvailabilityDecision() {}

  /** Whether these nodes can be used; sends PINGs if necessary. */
  static boolean isAvailable(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    long now = System.nanoTime();
    Verdict known = majority(nodes, now, maxAge);
    if (known != Verdict.STALE) {
      return known == Verdict.YES;
    }
    List<NodeGuard> stale =
        nodes.stream().filter(node -> node.verdict(now, maxAge) == Verdict.STALE).toList();
    // Empty if replies have arrived meanwhile.
    return (stale.isEmpty() || ask(stale, maxAge, timeout))
        && majority(nodes, System.nanoTime(), Long.MAX_VALUE) == Verdict.YES;
  }

  /** The verdict of the nodes with most slots; STALE if it depends on nodes that must be asked. */
  private static Verdict majority(List<NodeGuard> nodes, long now, long maxAge) {
    int slots = 0;
    int yes = 0;
    int no = 0;
    int stale = 0;
    for (NodeGuard node : nodes) {
      int weight = node.slots();
      slots += weight;
      switch (node.verdict(now, maxAge)) {
        case YES -> yes += weight;
        case NO -> no += weight;
        case STALE -> stale++;
      }
    }
    if (2 * yes > slots) {
      return Verdict.YES;
    }
    return stale == 0 || 2 * no >= slots ? Verdict.NO : Verdict.STALE;
  }

  /** Waits for the answers of nodes. Returns whether one was good. */
  private static boolean ask(List<NodeGuard> nodes, long maxAge, Duration timeout) {
    List<CompletableFuture<Duration>> pings =
        nodes.stream().map(node -> node.ping(maxAge, timeout)).toList();
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

  /** The longest round trip to these nodes, in a future that belongs to the caller. */
  static CompletableFuture<Duration> ping(List<NodeGuard> nodes, Duration timeout) {
    List<CompletableFuture<Duration>> pings =
        nodes.stream().map(node -> node.ping(0, timeout)).toList();
    return pings.size() == 1
        ? pings.get(0)
        : CompletableFuture.allOf(pings.toArray(CompletableFuture[]::new))
            .thenApply(
                answered ->
                    pings.stream()
                        .map(CompletableFuture::join)
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO));
  }

  /**
   * Waits for PINGs like a blocking command.
   *
   * @throws IllegalStateException on a thread of Netty
   */
  static Duration await(List<NodeGuard> nodes, Duration timeout) {
    if (Thread.currentThread() instanceof FastThreadLocalThread) {
      throw new IllegalStateException(
          "ping() would block "
              + Thread.currentThread().getName()
              + ", a thread of Netty that must read the answer itself; use pingAsync()");
    }
    try {
      return ping(nodes, timeout).get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    } catch (TimeoutException e) {
      throw NodePings.late(
          nodes.stream().map(NodeGuard::name).collect(Collectors.joining(", ")), timeout);
    } catch (ExecutionException e) {
      // A new exception, with the stack of the waiting thread.
      Throwable cause = Failures.cause(e);
      throw new UnavailableException(String.valueOf(cause.getMessage()), cause);
    }
  }
}
