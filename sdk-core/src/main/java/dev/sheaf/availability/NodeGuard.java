package dev.sheaf.availability;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one node, and how it comes to be known: the PINGs, what the data connection
 * hears, and the state that follows from both.
 *
 * <p>Thread-safe. State changes under {@link #lock}, and nothing foreign is called while it is
 * held; readers look at volatile fields alone.
 */
final class NodeGuard implements GuardConnection.Watcher, SignsOfLife.Watcher {

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
  private final Spread spread;
  private final GuardConnection line;
  private final SingleFlight<Duration> pings;
  private final Object lock = new Object();
  private final long timeoutNanos;
  private final long refreshNanos;

  private volatile @Nullable SignsOfLife signs;
  private volatile AvailabilityStatus status;

  /** When this node was last found DOWN: what was heard before does not speak against it. */
  private volatile long downAt;

  /** When the last good answer to a PING came. */
  private volatile long lastGood = SignsOfLife.NEVER;

  private volatile long roundTripNanos = -1;

  /** When the PING was sent that should have been answered by now; NEVER if there is none. */
  private volatile long overdueSince = SignsOfLife.NEVER;

  private volatile Doubt doubt = Doubt.NONE;
  private volatile boolean refreshing;
  private volatile boolean closed;

  // Guarded by the lock.
  private int slowInRow;
  private int goodInRow;
  private long lostAt;
  private @Nullable Ping unsent;

  NodeGuard(String name, RedisURI uri, GuardContext context) {
    this.name = name;
    this.context = context;
    this.options = context.options();
    this.spread = context.newSpread();
    this.timeoutNanos = options.timeout().toNanos();
    this.refreshNanos = options.refreshAfter().toNanos();
    this.status =
        new AvailabilityStatus(AvailabilityState.UP, "not asked yet", Instant.now(), null);
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
      lostAt = SignsOfLife.now();
    }
    context.schedule(this::tick, spread.startOffsetNanos());
    line.open();
  }

  String name() {
    return name;
  }

  /** The status with the latest round trip. */
  AvailabilityStatus status() {
    AvailabilityStatus known = status;
    long nanos = roundTripNanos;
    return nanos < 0
        ? known
        : new AvailabilityStatus(
            known.state(), known.reason(), known.since(), Duration.ofNanos(nanos));
  }

  AvailabilityState state() {
    return status.state();
  }

  /** From now on this connection's replies count. */
  void attach(@Nullable SignsOfLife data) {
    SignsOfLife before = signs;
    if (data != before) {
      if (before != null) {
        before.unwatch();
      }
      signs = data;
      if (data != null && !closed) {
        data.watch(this, timeoutNanos);
      }
    }
  }

  /** Whether it may have a data connection: it is not known to be gone. */
  boolean isReachable() {
    return line.current() != null || status.state() != AvailabilityState.DOWN;
  }

  boolean hasData() {
    SignsOfLife data = signs;
    return data != null && data.isConnected();
  }

  // ---- Answers from memory

  /**
   * What is known, and no older than the given age. Old knowledge makes the guard ask on its own.
   */
  Verdict verdict(long now, long maxAgeNanos) {
    AvailabilityState state = status.state();
    long heard = heard();
    if (state == AvailabilityState.DOWN && !revivedBy(heard)) {
      return Verdict.NO;
    }
    if (state == AvailabilityState.SLOW || closed) {
      return Verdict.NO;
    }
    long overdue = overdueSince;
    if (overdue != SignsOfLife.NEVER && !isAfter(heard, overdue)) {
      return Verdict.NO;
    }
    long answered = lastGood;
    boolean traffic = isAfter(heard, answered);
    long latest = traffic ? heard : answered;
    long age = latest == SignsOfLife.NEVER ? Long.MAX_VALUE : now - latest;
    if (age > refreshNanos) {
      refresh();
    }
    if (age >= maxAgeNanos && maxAgeNanos != Long.MAX_VALUE) {
      return Verdict.STALE;
    }
    return traffic ? Verdict.TRAFFIC : Verdict.CACHED;
  }

  private long heard() {
    SignsOfLife data = signs;
    return data == null ? SignsOfLife.NEVER : data.lastGood();
  }

  private static boolean isAfter(long time, long other) {
    return time != SignsOfLife.NEVER && (other == SignsOfLife.NEVER || time - other > 0);
  }

  /** Whether replies come on the data connection, though PINGs have none. */
  private boolean revivedBy(long heard) {
    if (doubt != Doubt.NONE || !isAfter(heard, downAt) || dataTrouble() != null) {
      return false;
    }
    become(AvailabilityState.UP, "answers on the data connection");
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
    long now = SignsOfLife.now();
    long heard = heard();
    long latest = isAfter(heard, lastGood) ? heard : lastGood;
    if (latest != SignsOfLife.NEVER && now - latest <= refreshNanos) {
      return;
    }
    SignsOfLife data = signs;
    long asked = data == null ? SignsOfLife.NEVER : data.waitingSince();
    if (mayWait && asked != SignsOfLife.NEVER && now - asked <= refreshNanos) {
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
    long answered = lastGood;
    return answered == SignsOfLife.NEVER
            || System.nanoTime() - answered >= maxAgeNanos
            || overdueSince != SignsOfLife.NEVER
            || status.state() == AvailabilityState.DOWN
        ? null
        : Duration.ofNanos(roundTripNanos);
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
    long heard = heard();
    return status.state() == AvailabilityState.UP
        && doubt == Doubt.NONE
        && !context.checksCluster()
        && heard != SignsOfLife.NEVER
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
      if (closed || (!opening && status.state() == AvailabilityState.DOWN)) {
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
            : name + " is DOWN and there is no connection to send PING on: " + status.reason());
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
      } catch (RuntimeException e) {
        outcome.completeExceptionally(
            new UnavailableException(name + ": PING could not be sent", e));
      }
    }

    private void sendOn(StatefulRedisConnection<String, String> connection) {
      sentAt = SignsOfLife.now();
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
        return Checks.role(commands);
      }
      return checked == Doubt.CLUSTER || context.checksCluster()
          ? Checks.cluster(commands)
          : CompletableFuture.completedFuture(null);
    }

    private void isLate() {
      if (outcome.isDone() || closed) {
        return;
      }
      if (!isAfter(heard(), sentAt)) {
        overdueSince = sentAt;
        context.changed(NodeGuard.this);
      }
      at(sentAt + options.downAfter().toNanos(), this::isLost);
    }

    private void isLost() {
      String reason = "no answer to PING within " + options.downAfter().toMillis() + " ms";
      if (!outcome.completeExceptionally(new UnavailableException(name + ": " + reason))) {
        return;
      }
      context.meters().pinged(AvailabilityMeters.Outcome.TIMEOUT, SignsOfLife.now() - sentAt);
      if (!isAfter(heard(), sentAt)) {
        down(reason);
      }
      overdueSince = SignsOfLife.NEVER;
      // It may be the connection alone that is dead, with nobody at the other end to say so.
      line.renew();
    }

    private void answered(@Nullable String trouble, @Nullable Throwable failure) {
      if (outcome.isDone()) {
        return;
      }
      long nanos = SignsOfLife.now() - sentAt;
      Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
      overdueSince = SignsOfLife.NEVER;
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
      down("the server answers " + error);
      outcome.completeExceptionally(
          new UnavailableException(name + ": the server answers PING with " + error, cause));
    }

    private void ponged(String trouble, long nanos) {
      boolean slow = nanos > timeoutNanos;
      roundTripNanos = nanos;
      lastGood = SignsOfLife.now();
      context
          .meters()
          .pinged(slow ? AvailabilityMeters.Outcome.SLOW : AvailabilityMeters.Outcome.OK, nanos);
      if (!trouble.isEmpty()) {
        down(trouble);
        outcome.completeExceptionally(new UnavailableException(name + ": " + trouble));
        return;
      }
      boolean stillInDoubt = doubt != checked;
      if (!stillInDoubt) {
        doubt = Doubt.NONE;
      }
      judge(slow, nanos);
      outcome.complete(Duration.ofNanos(nanos));
      if (stillInDoubt) {
        suspect();
      }
    }
  }

  // ---- The state

  private void judge(boolean slow, long nanos) {
    boolean becomeSlow;
    boolean becomeUp;
    synchronized (lock) {
      slowInRow = slow ? slowInRow + 1 : 0;
      goodInRow = slow ? 0 : goodInRow + 1;
      becomeSlow = slowInRow >= options.slowAnswers();
      becomeUp = goodInRow >= options.goodAnswers();
    }
    String trouble = dataTrouble();
    if (trouble != null) {
      down(trouble);
    } else if (becomeSlow) {
      become(AvailabilityState.SLOW, "answers PING in " + millis(nanos) + " ms");
    } else if (becomeUp || (slow && status.state() == AvailabilityState.DOWN)) {
      become(
          slow ? AvailabilityState.SLOW : AvailabilityState.UP,
          "answers PING in " + millis(nanos) + " ms");
    }
  }

  private static String millis(long nanos) {
    return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
  }

  /** Why the data connection cannot be used although the node answers, or null. */
  private @Nullable String dataTrouble() {
    SignsOfLife data = signs;
    if (data == null) {
      return null;
    }
    if (!data.isConnected()) {
      return "the node answers, but the data connection is lost and not there again yet";
    }
    long since = data.waitingSince();
    long waited = since == SignsOfLife.NEVER ? 0 : System.nanoTime() - since;
    return waited > options.downAfter().toNanos() && !isAfter(data.lastGood(), since)
        ? "the node answers, but the data connection has not for " + millis(waited) + " ms"
        : null;
  }

  private void down(String reason) {
    synchronized (lock) {
      goodInRow = 0;
      downAt = SignsOfLife.now();
    }
    become(AvailabilityState.DOWN, reason);
  }

  private void become(AvailabilityState state, String reason) {
    AvailabilityStatus before;
    AvailabilityStatus after;
    synchronized (lock) {
      before = status;
      if (closed || (before.state() == state && state == AvailabilityState.UP)) {
        return;
      }
      boolean same = before.state() == state;
      after = new AvailabilityStatus(state, reason, same ? before.since() : Instant.now(), null);
      status = after;
      if (!same) {
        // In the lock, so that changes are told in their order; it only queues them.
        context.changed(this, before, status());
      }
    }
    context.changed(this);
  }

  // ---- The guard's connection

  @Override
  public void opened() {
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
      lostAt = SignsOfLife.now();
    }
    context.schedule(this::giveUpIfLost, options.downAfter().toNanos());
  }

  /** Without a connection for as long as a PING may take, and no other sign of life. */
  private void giveUpIfLost() {
    long since;
    synchronized (lock) {
      since = lostAt;
    }
    boolean longEnough = SignsOfLife.now() - since >= options.downAfter().toNanos();
    if (!closed && line.current() == null && longEnough && !isAfter(heard(), since)) {
      noConnection("no connection for " + options.downAfter().toMillis() + " ms", null);
    }
  }

  @Override
  public void notOpened(Throwable cause) {
    long since;
    synchronized (lock) {
      since = lostAt;
    }
    String reason = context.explain(cause);
    if (isAfter(heard(), since)) {
      failUnsent(reason, cause);
    } else {
      noConnection(reason, cause);
    }
  }

  private void noConnection(String reason, @Nullable Throwable cause) {
    if (!(status.state() == AvailabilityState.DOWN && cause == null)) {
      down("no connection: " + reason);
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

  /** Ends the watch, but for closing the connection. */
  void stop() {
    synchronized (lock) {
      closed = true;
    }
    SignsOfLife data = signs;
    if (data != null) {
      data.unwatch();
    }
    line.stop();
    pings.close(notConnected());
    Ping ping = takeUnsent();
    if (ping != null) {
      ping.outcome.completeExceptionally(notConnected());
    }
  }

  @Override
  public String toString() {
    return name + " " + status.state();
  }
}
