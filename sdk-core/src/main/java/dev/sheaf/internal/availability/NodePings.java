// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.common.Failures;
import dev.sheaf.internal.common.Pace;
import dev.sheaf.internal.common.SingleFlight;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The PINGs to one node: single-flight, with time limits, and with a second command where PONG
 * alone is not enough. Results go to the {@link NodeState}.
 *
 * <p>Thread-safe.
 */
final class NodePings {

  /** A doubt that PONG does not settle, but another command does. */
  enum Doubt {
    NONE,
    /** A command was refused with READONLY. */
    ROLE,
    /** A command was refused with CLUSTERDOWN. */
    CLUSTER
  }

  /** The least time between two PINGs: at most 50 a second, for any number of callers. */
  private static final Duration MIN_SPACING = Duration.ofMillis(20);

  /** A timer that is this late means that the process was paused, for instance for a collection. */
  private static final Duration STANDSTILL = Duration.ofMillis(20);

  /** How long a judgement is postponed: a tenth of the pause, within these bounds. */
  private static final Duration MIN_GRACE = Duration.ofMillis(10);

  private static final Duration MAX_GRACE = Duration.ofMillis(100);

  /** How often in a row a judgement is postponed for that. */
  private static final int MAX_GRACES = 3;

  private final String name;
  private final GuardContext context;
  private final AvailabilityOptions options;
  private final GuardConnection line;
  private final NodeState state;
  private final SingleFlight<Duration> flight;
  private final long timeoutNanos;

  private volatile Doubt doubt = Doubt.NONE;
  private volatile boolean closed;

  NodePings(NodeSource.Node node, GuardContext context, GuardConnection line, NodeState state) {
    this.name = node.name();
    this.context = context;
    this.options = context.options();
    this.line = line;
    this.state = state;
    this.timeoutNanos = options.timeout().toNanos();
    // A PING may wait for one attempt to connect before it is sent.
    Duration longest = node.uri().getTimeout().plus(options.timeout()).plus(options.downAfter());
    this.flight = new SingleFlight<>(this::send, context.timer(), Pace.of(MIN_SPACING), longest);
  }

  /** Joins a PING. See {@link SingleFlight#join}. */
  CompletableFuture<Duration> ping(long maxAgeNanos, Duration timeout) {
    return flight.join(maxAgeNanos, timeout.toNanos(), () -> late(name, timeout));
  }

  static UnavailableException late(String nodes, Duration timeout) {
    return new UnavailableException(
        nodes
            + ": no answer to PING within "
            + timeout.toMillis()
            + " ms; AvailabilityOptions.timeout or Availability.withTimeout sets the limit");
  }

  /** Sends a PING for the guard itself, unless one is active. */
  void probe() {
    if (!closed && !flight.isBusy()) {
      CompletableFuture<Duration> unused = ping(Long.MAX_VALUE, options.downAfter());
    }
  }

  void probeSoon() {
    context.timer().after(this::probe, 0);
  }

  Doubt doubt() {
    return doubt;
  }

  /** Makes the next PINGs ask about this as well. */
  void doubt(Doubt cause) {
    if (doubt != cause) {
      doubt = cause;
      probeSoon();
    }
  }

  /** The action of the single-flight. */
  private CompletionStage<Duration> send() {
    if (closed || (line.current() == null && state.isDown())) {
      return CompletableFuture.failedFuture(notConnected());
    }
    Ping ping = new Ping();
    line.next()
        .whenComplete(
            (connection, failure) -> {
              if (failure == null) {
                ping.send(connection);
              } else {
                ping.outcome.completeExceptionally(notOpened(failure));
              }
            });
    return ping.outcome;
  }

  private UnavailableException notOpened(Throwable cause) {
    String reason = context.settings().explain().apply(cause, options.downAfter());
    return new UnavailableException(name + ": no connection to send PING on: " + reason, cause);
  }

  private UnavailableException notConnected() {
    return new UnavailableException(
        closed
            ? "The Sheaf client is closed"
            : name
                + " is DOWN and there is no connection to send PING on: "
                + state.status().reason());
  }

  void close() {
    closed = true;
    flight.close(notConnected());
  }

  /** One PING, with a second command if there is a doubt. */
  private final class Ping {

    private final CompletableFuture<Duration> outcome = new CompletableFuture<>();
    private long sentAt;
    private Doubt checked = Doubt.NONE;

    /**
     * Completes the outcome even if sending fails: an unfinished PING would block all later ones.
     */
    void send(StatefulRedisConnection<String, String> connection) {
      try {
        sendOn(connection);
      } catch (Throwable e) {
        outcome.completeExceptionally(
            new UnavailableException(name + ": PING could not be sent", e));
      }
    }

    private void sendOn(StatefulRedisConnection<String, String> connection) {
      sentAt = ReplyActivity.now();
      checked = doubt;
      RedisAsyncCommands<String, String> commands = connection.async();
      CompletionStage<@Nullable String> check = check(commands);
      commands
          .ping()
          .thenCombine(check, (pong, trouble) -> trouble == null ? "" : trouble)
          .whenComplete(this::answered);
      at(sentAt + timeoutNanos, this::isLate);
    }

    /**
     * Runs a task at a time, or a little later if the process was paused until then: the answer may
     * already be in the socket. This is done at most {@value #MAX_GRACES} times, for machines on
     * which every timer is late.
     */
    private void at(long time, Runnable task) {
      at(time, task, MAX_GRACES);
    }

    private void at(long time, Runnable task, int graces) {
      context
          .timer()
          .after(
              () -> {
                long now = System.nanoTime();
                long late = now - time;
                if (graces > 0 && late > STANDSTILL.toNanos()) {
                  at(now + graceNanos(late), task, graces - 1);
                } else {
                  task.run();
                }
              },
              time - System.nanoTime());
    }

    /** After a longer pause, there is more to read before the answer. */
    private static long graceNanos(long late) {
      return Math.max(MIN_GRACE.toNanos(), Math.min(MAX_GRACE.toNanos(), late / 10));
    }

    private CompletionStage<@Nullable String> check(RedisAsyncCommands<String, String> commands) {
      if (checked == Doubt.ROLE) {
        return HealthProbes.role(commands);
      }
      return checked == Doubt.CLUSTER || context.checksCluster().getAsBoolean()
          ? HealthProbes.cluster(commands)
          : CompletableFuture.completedFuture(null);
    }

    private void isLate() {
      if (outcome.isDone() || closed) {
        return;
      }
      if (!state.heardSince(sentAt)) {
        state.overdue(sentAt);
      }
      at(sentAt + options.downAfter().toNanos(), this::isLost);
    }

    private void isLost() {
      String reason = "no answer to PING within " + options.downAfter().toMillis() + " ms";
      if (!outcome.completeExceptionally(new UnavailableException(name + ": " + reason))) {
        return;
      }
      context.meters().pinged(AvailabilityMeters.Outcome.TIMEOUT, ReplyActivity.now() - sentAt);
      if (!state.heardSince(sentAt)) {
        state.down(reason);
      }
      state.nothingOverdue();
      // Perhaps only the connection is dead, without a peer to close it.
      line.renew();
    }

    private void answered(@Nullable String trouble, @Nullable Throwable failure) {
      if (outcome.isDone()) {
        return;
      }
      long nanos = ReplyActivity.now() - sentAt;
      Throwable cause = failure == null ? null : Failures.cause(failure);
      state.nothingOverdue();
      if (cause instanceof RedisCommandExecutionException refusal) {
        refused(String.valueOf(refusal.getMessage()), refusal, nanos);
      } else if (cause != null) {
        context.meters().pinged(AvailabilityMeters.Outcome.DISCONNECTED, nanos);
        outcome.completeExceptionally(
            new UnavailableException(name + ": the connection was lost before PONG came", cause));
      } else {
        ponged(trouble == null ? "" : trouble, nanos);
      }
    }

    private void refused(String error, Throwable cause, long nanos) {
      if (error.startsWith("NOPERM")) {
        // This user may not PING, but the refusal is an answer.
        ponged("", nanos);
        return;
      }
      context.meters().pinged(AvailabilityMeters.Outcome.ERROR, nanos);
      state.down("the server answers " + error);
      outcome.completeExceptionally(
          new UnavailableException(name + ": the server answers PING with " + error, cause));
    }

    private void ponged(String trouble, long nanos) {
      boolean slow = nanos > timeoutNanos;
      state.ponged(nanos);
      context
          .meters()
          .pinged(slow ? AvailabilityMeters.Outcome.SLOW : AvailabilityMeters.Outcome.OK, nanos);
      if (!trouble.isEmpty()) {
        state.down(trouble);
        outcome.completeExceptionally(new UnavailableException(name + ": " + trouble));
        return;
      }
      boolean stillInDoubt = doubt != checked;
      if (!stillInDoubt) {
        doubt = Doubt.NONE;
      }
      if (state.dataTrouble() == null) {
        state.answered(slow, nanos);
      } else {
        // After a pause, this answer may be read before those on the data connection.
        at(ReplyActivity.now() + MIN_GRACE.toNanos(), () -> state.answered(slow, nanos));
      }
      outcome.complete(Duration.ofNanos(nanos));
      if (stillInDoubt) {
        probeSoon();
      }
    }
  }
}
