package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.availability.UnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Keeps watch over one node: asks it, on time and in time, and makes of the {@link NodeEvidence}
 * the {@link NodeState}.
 *
 * <p>Thread-safe. Nothing foreign is called while {@link #lock} is held.
 */
final class NodeGuard
    implements GuardConnection.Watcher, ReplyActivity.Watcher, NodeState.Listener {

  /** What the evidence at hand says. */
  enum Verdict {
    /** Yes, by a PING's answer. */
    CACHED,
    /** Yes, by a reply on the data connection. */
    TRAFFIC,
    /** No, by the state or a PING that should have been answered by now. */
    NO,
    /** Nobody knows; the last sign of life is too old. */
    STALE
  }

  /** What PONG does not tell, and another command does. */
  private enum Doubt {
    NONE,
    /** A command was refused with READONLY. */
    ROLE,
    /** A command was refused with CLUSTERDOWN. */
    CLUSTER
  }

  /** When a call finds old evidence: time for replies that lie in the socket to be read first. */
  private static final Duration REFRESH_DELAY = Duration.ofMillis(5);

  /** A timer this late tells that the process stood still, as it does to collect garbage. */
  private static final Duration STANDSTILL = Duration.ofMillis(20);

  private static final Duration GRACE = Duration.ofMillis(10);

  private final String name;
  private final AvailabilityOptions options;
  private final GuardContext context;
  private final Jitter spread;
  private final GuardConnection line;
  private final SingleFlight<Duration> pings;
  private final NodeEvidence evidence;
  private final NodeState state;
  private final Object lock = new Object();
  private final long timeoutNanos;
  private final long refreshNanos;

  private volatile Doubt doubt = Doubt.NONE;
  private volatile boolean refreshing;

  /** Until the first attempt to connect has ended. */
  private volatile boolean starting = true;

  private volatile boolean closed;

  // Guarded by the lock.
  private long lostAt;
  private @Nullable Ping unsent;

  NodeGuard(String name, RedisURI uri, GuardContext context) {
    this.name = name;
    this.context = context;
    this.options = context.options();
    this.spread = context.newSpread();
    this.timeoutNanos = options.timeout().toNanos();
    this.refreshNanos = options.refreshAfter().toNanos();
    this.evidence = new NodeEvidence(options);
    this.state = new NodeState(options, this);
    this.line =
        new GuardConnection(
            context.client(), uri, connectLimit(options), context.timer(), spread, this);
    this.pings =
        new SingleFlight<>(
            this::send, context.timer(), options.minPingSpacing(), context.meters()::shared);
  }

  /** Half an interval, so that a node which comes back is found within a whole one. */
  private static Duration connectLimit(AvailabilityOptions options) {
    Duration half = options.interval().dividedBy(2);
    return half.compareTo(options.timeout()) > 0 ? half : options.timeout();
  }

  void start() {
    synchronized (lock) {
      lostAt = ReplyActivity.now();
    }
    context.schedule(this::tick, spread.startOffsetNanos());
    line.open();
  }

  String name() {
    return name;
  }

  /** The status with the latest round trip. */
  AvailabilityStatus status() {
    AvailabilityStatus known = state.status();
    Duration roundTrip = evidence.roundTrip();
    return roundTrip == null
        ? known
        : new AvailabilityStatus(known.state(), known.reason(), known.since(), roundTrip);
  }

  AvailabilityState state() {
    return state.state();
  }

  /** From now on this connection's replies count. */
  void attach(@Nullable ReplyActivity data) {
    evidence.attach(data, closed ? null : this);
  }

  /** Whether it may have a data connection: it is not known to be gone. */
  boolean isReachable() {
    return line.current() != null || !state.isDown();
  }

  boolean hasData() {
    return evidence.hasData();
  }

  /**
   * Whether the guard's first connection is not open yet, so that no PING can be answered, and the
   * data connection shows no trouble.
   */
  boolean seemsWell() {
    return starting && !closed && evidence.hasData() && evidence.dataTrouble() == null;
  }

  // ---- AvailabilityDecision from memory

  /**
   * What is known, and no older than the given age. Old knowledge makes the guard ask on its own.
   */
  Verdict verdict(long now, long maxAgeNanos) {
    AvailabilityState known = state.state();
    long heard = evidence.heard();
    if (known == AvailabilityState.DOWN && !revivedBy(heard)) {
      return Verdict.NO;
    }
    if (known == AvailabilityState.SLOW || closed || evidence.speaksAgainst(heard)) {
      return Verdict.NO;
    }
    long answered = evidence.lastGood();
    boolean traffic = NodeEvidence.isAfter(heard, answered);
    long latest = traffic ? heard : answered;
    long age = latest == ReplyActivity.NEVER ? Long.MAX_VALUE : now - latest;
    if (age > refreshNanos) {
      refresh();
    }
    if (age >= maxAgeNanos && maxAgeNanos != Long.MAX_VALUE) {
      return Verdict.STALE;
    }
    return traffic ? Verdict.TRAFFIC : Verdict.CACHED;
  }

  /** Whether replies come on the data connection, though PINGs have none. */
  private boolean revivedBy(long heard) {
    if (doubt != Doubt.NONE
        || !NodeEvidence.isAfter(heard, state.downAt())
        || evidence.dataTrouble() != null) {
      return false;
    }
    state.up("answers on the data connection");
    return true;
  }

  private void refresh() {
    if (!refreshing) {
      refreshing = true;
      if (!context.schedule(() -> refreshIfStillOld(true), REFRESH_DELAY.toNanos())) {
        refreshing = false;
      }
    }
  }

  private void refreshIfStillOld(boolean mayWait) {
    refreshing = false;
    long now = ReplyActivity.now();
    long heard = evidence.heard();
    long answered = evidence.lastGood();
    long latest = NodeEvidence.isAfter(heard, answered) ? heard : answered;
    if (latest != ReplyActivity.NEVER && now - latest <= refreshNanos) {
      return;
    }
    long asked = evidence.waitingSince();
    if (mayWait && asked != ReplyActivity.NEVER && now - asked <= refreshNanos) {
      // A command is under way, and its reply will tell.
      refreshing = context.schedule(() -> refreshIfStillOld(false), refreshNanos - (now - asked));
      return;
    }
    probe();
  }

  // ---- PINGs

  /** Shares a PING. See {@link SingleFlight#join}. */
  CompletableFuture<Duration> ping(long maxAgeNanos, Duration timeout) {
    return pings.join(maxAgeNanos, timeout.toNanos(), () -> late(timeout));
  }

  /** The round trip of the last good PING if its answer is not older than that, or null. */
  @Nullable Duration recentRoundTrip(long maxAgeNanos) {
    long answered = evidence.lastGood();
    return answered == ReplyActivity.NEVER
            || System.nanoTime() - answered >= maxAgeNanos
            || evidence.isAnyOverdue()
            || state.isDown()
        ? null
        : evidence.roundTrip();
  }

  private UnavailableException late(Duration timeout) {
    return new UnavailableException(
        name
            + ": no answer to PING within "
            + timeout.toMillis()
            + " ms; AvailabilityOptions.timeout or withTimeout sets the limit");
  }

  /** Sends a PING, unless one is under way; nobody waits for it. */
  private void probe() {
    if (!closed && !pings.isBusy()) {
      CompletableFuture<Duration> unused = ping(Long.MAX_VALUE, options.downAfter());
    }
  }

  private void tick() {
    if (closed) {
      return;
    }
    try {
      if (line.current() != null && !isBusy()) {
        probe();
      }
    } finally {
      context.schedule(this::tick, spread.pauseNanos());
    }
  }

  /** Whether users' commands show often enough that the node is well. */
  private boolean isBusy() {
    long heard = evidence.heard();
    return state.state() == AvailabilityState.UP
        && doubt == Doubt.NONE
        && !context.checksCluster()
        && heard != ReplyActivity.NEVER
        && System.nanoTime() - heard < options.interval().toNanos();
  }

  /** The action of the flight. */
  private CompletionStage<Duration> send() {
    Ping ping = new Ping();
    StatefulRedisConnection<String, String> connection = line.current();
    if (connection == null) {
      if (!waitForConnection(ping)) {
        ping.outcome.completeExceptionally(notConnected());
      }
    } else {
      ping.send(connection);
    }
    return ping.outcome;
  }

  private boolean waitForConnection(Ping ping) {
    boolean opening = line.isOpening();
    synchronized (lock) {
      if (closed || (!opening && state.isDown())) {
        return false;
      }
      unsent = ping;
    }
    if (line.current() != null) {
      opened();
    }
    return true;
  }

  private UnavailableException notConnected() {
    return new UnavailableException(
        closed
            ? "The Sheaf client is closed"
            : name
                + " is DOWN and there is no connection to send PING on: "
                + state.status().reason());
  }

  private @Nullable Ping takeUnsent() {
    synchronized (lock) {
      Ping ping = unsent;
      unsent = null;
      return ping;
    }
  }

  /** One PING, with the question that goes along when PONG alone would not do. */
  private final class Ping {

    private final CompletableFuture<Duration> outcome = new CompletableFuture<>();
    private long sentAt;
    private Doubt checked = Doubt.NONE;

    /** What cannot be sent must end as well: a flight that does not end lets no other begin. */
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
     * Runs a task at a time; a little later if the process itself stood still until then, because
     * the answer may lie in the socket.
     */
    private void at(long time, Runnable task) {
      context.schedule(
          () -> {
            long now = System.nanoTime();
            if (now - time > STANDSTILL.toNanos()) {
              at(now + GRACE.toNanos(), task);
            } else {
              task.run();
            }
          },
          time - System.nanoTime());
    }

    private CompletionStage<@Nullable String> check(RedisAsyncCommands<String, String> commands) {
      if (checked == Doubt.ROLE) {
        return HealthProbes.role(commands);
      }
      return checked == Doubt.CLUSTER || context.checksCluster()
          ? HealthProbes.cluster(commands)
          : CompletableFuture.completedFuture(null);
    }

    private void isLate() {
      if (outcome.isDone() || closed) {
        return;
      }
      if (!evidence.heardSince(sentAt)) {
        evidence.overdue(sentAt);
        context.changed(NodeGuard.this);
      }
      at(sentAt + options.downAfter().toNanos(), this::isLost);
    }

    private void isLost() {
      String reason = "no answer to PING within " + options.downAfter().toMillis() + " ms";
      if (!outcome.completeExceptionally(new UnavailableException(name + ": " + reason))) {
        return;
      }
      context.meters().pinged(AvailabilityMeters.Outcome.TIMEOUT, ReplyActivity.now() - sentAt);
      if (!evidence.heardSince(sentAt)) {
        state.down(reason);
      }
      evidence.nothingOverdue();
      // It may be the connection alone that is dead, with nobody at the other end to say so.
      line.renew();
    }

    private void answered(@Nullable String trouble, @Nullable Throwable failure) {
      if (outcome.isDone()) {
        return;
      }
      long nanos = ReplyActivity.now() - sentAt;
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      evidence.nothingOverdue();
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
        // This user may not PING; that the server said so is an answer.
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
      evidence.answered(nanos);
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
      state.answered(slow, nanos, evidence.dataTrouble());
      outcome.complete(Duration.ofNanos(nanos));
      if (stillInDoubt) {
        suspect();
      }
    }
  }

  // ---- The state

  @Override
  public void changed(AvailabilityStatus before, AvailabilityStatus after) {
    context.changed(this, before, status());
  }

  @Override
  public void changed() {
    context.changed(this);
  }

  // ---- The guard's connection

  @Override
  public void opened() {
    starting = false;
    Ping ping = takeUnsent();
    StatefulRedisConnection<String, String> connection = line.current();
    if (ping != null && connection != null) {
      ping.send(connection);
    } else if (ping != null) {
      ping.outcome.completeExceptionally(notConnected());
    } else {
      probe();
    }
  }

  @Override
  public void lost() {
    synchronized (lock) {
      lostAt = ReplyActivity.now();
    }
    context.schedule(this::giveUpIfLost, options.downAfter().toNanos());
  }

  /** Without a connection for as long as a PING may take, and no other sign of life. */
  private void giveUpIfLost() {
    long since;
    synchronized (lock) {
      since = lostAt;
    }
    boolean longEnough = ReplyActivity.now() - since >= options.downAfter().toNanos();
    if (!closed && line.current() == null && longEnough && !evidence.heardSince(since)) {
      noConnection("no connection for " + options.downAfter().toMillis() + " ms", null);
    }
  }

  @Override
  public void notOpened(Throwable cause) {
    starting = false;
    long since;
    synchronized (lock) {
      since = lostAt;
    }
    String reason = context.explain(cause);
    if (evidence.heardSince(since)) {
      failUnsent(reason, cause);
    } else {
      noConnection(reason, cause);
    }
  }

  private void noConnection(String reason, @Nullable Throwable cause) {
    if (!(state.isDown() && cause == null)) {
      state.down("no connection: " + reason);
    }
    failUnsent(reason, cause);
  }

  private void failUnsent(String reason, @Nullable Throwable cause) {
    Ping ping = takeUnsent();
    if (ping != null) {
      ping.outcome.completeExceptionally(
          new UnavailableException(name + ": no connection to send PING on: " + reason, cause));
    }
  }

  // ---- The data connection

  @Override
  public void dataConnected() {
    context.schedule(
        () -> {
          if (doubt == Doubt.ROLE) {
            // Whoever the name stands for now is whom users' commands reach.
            line.renew();
          } else {
            probe();
          }
        },
        0);
  }

  @Override
  public void dataLost() {
    context.schedule(this::probe, timeoutNanos);
  }

  @Override
  public void dataRefused(String error) {
    if (error.startsWith("READONLY")) {
      doubt(Doubt.ROLE);
    } else if (error.startsWith("CLUSTERDOWN")) {
      doubt(Doubt.CLUSTER);
    } else {
      context.schedule(this::probe, 0);
    }
  }

  private void doubt(Doubt cause) {
    if (doubt != cause) {
      doubt = cause;
      context.schedule(this::probe, 0);
    }
  }

  /** Asks now, because something happened elsewhere in the cluster. */
  void suspect() {
    context.schedule(this::probe, 0);
  }

  /** Ends the watch of a node that is no primary any more. */
  void close() {
    stop();
    line.close();
  }

  /**
   * Ends the watch, but for closing the connection.
   *
   * @return done when no connection is being opened
   */
  CompletableFuture<?> stop() {
    synchronized (lock) {
      closed = true;
    }
    state.close();
    evidence.unwatch();
    CompletableFuture<?> stopped = line.stop();
    pings.close(notConnected());
    Ping ping = takeUnsent();
    if (ping != null) {
      ping.outcome.completeExceptionally(notConnected());
    }
    return stopped;
  }

  @Override
  public String toString() {
    return name + " " + state.state();
  }
}
