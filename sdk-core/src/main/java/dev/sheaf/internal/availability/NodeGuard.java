// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.availability;

import dev.sheaf.availability.AvailabilityChange;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.AvailabilityStatus;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.internal.availability.NodePings.Doubt;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one node. It answers from memory and triggers a PING when its knowledge is too old.
 * It handles the events of its own connection and of the data connection.
 *
 * <p>Thread-safe.
 */
final class NodeGuard {

  /** The answer that follows from the current knowledge. */
  enum Verdict {
    YES,
    /** Because of the state, or of an overdue PING. */
    NO,
    /** Unknown: the last good reply is too old. */
    STALE
  }

  /** Delay before a refresh, so that replies already in the socket are read first. */
  private static final Duration REFRESH_DELAY = Duration.ofMillis(5);

  private final String name;

  /** The node as the client knows it now; its slots may change. */
  private volatile NodeSource.Node node;

  private final AvailabilityOptions options;
  private final GuardContext context;
  private final Jitter jitter;
  private final GuardConnection line;
  private final NodePings pings;
  private final NodeState state;

  /** Half the time-out, so that an outage is noticed within twice the time-out. */
  private final long refreshNanos;

  private volatile boolean refreshing;

  /** Until the first attempt to connect has ended. */
  private volatile boolean starting = true;

  private volatile boolean closed;

  /** When the connection was lost, if there is none. */
  private volatile long lostAt = ReplyActivity.now();

  NodeGuard(NodeSource.Node node, GuardContext context) {
    this.name = node.name();
    this.node = node;
    this.context = context;
    this.options = context.options();
    this.jitter = new Jitter(options.interval());
    this.refreshNanos = options.timeout().toNanos() / 2;
    this.state = new NodeState(options, this::tell, context.changed());
    this.line =
        new GuardConnection(
            context.client(),
            node.uri(),
            connectLimit(options),
            context.timer(),
            jitter,
            this::onLine);
    this.pings = new NodePings(node, context, line, state);
  }

  /** Half an interval, so that a node which comes back is found within a whole one. */
  private static Duration connectLimit(AvailabilityOptions options) {
    Duration half = options.interval().dividedBy(2);
    return half.compareTo(options.timeout()) > 0 ? half : options.timeout();
  }

  void start() {
    lostAt = ReplyActivity.now();
    after(this::tick, jitter.startOffsetNanos());
    line.open();
  }

  private boolean after(Runnable task, long nanos) {
    return context.timer().after(task, nanos);
  }

  String name() {
    return name;
  }

  NodeSource.Node node() {
    return node;
  }

  void node(NodeSource.Node now) {
    node = now;
  }

  int slots() {
    return node.slots();
  }

  /** The status with the latest round trip. */
  AvailabilityStatus status() {
    return state.status();
  }

  AvailabilityState state() {
    return state.state();
  }

  /** Starts to count the replies of a data connection. */
  void attach(@Nullable ReplyActivity data) {
    state.attach(data, closed ? null : this::onData);
  }

  /** Whether a data connection is possible: the node is not known to be gone. */
  boolean isReachable() {
    return line.current() != null || !state.isDown();
  }

  boolean hasData() {
    return state.hasData();
  }

  /**
   * Whether the guard's first connection is not open yet, so that no PING can be answered, and the
   * data connection shows no trouble.
   */
  boolean seemsWell() {
    return starting && !closed && state.hasData() && state.dataTrouble() == null;
  }

  // ---- Verdict from memory

  /** The verdict from knowledge no older than the given age. Old knowledge triggers a PING. */
  Verdict verdict(long now, long maxAgeNanos) {
    AvailabilityState known = state.state();
    long heard = state.heard();
    if (known == AvailabilityState.DOWN && !revivedBy(heard)) {
      return Verdict.NO;
    }
    if (known == AvailabilityState.SLOW || closed || state.speaksAgainst(heard)) {
      return Verdict.NO;
    }
    long latest = state.lastHeard();
    long age = latest == ReplyActivity.NEVER ? Long.MAX_VALUE : now - latest;
    if (age > refreshNanos) {
      refresh();
    }
    return age >= maxAgeNanos && maxAgeNanos != Long.MAX_VALUE ? Verdict.STALE : Verdict.YES;
  }

  /** Whether the data connection gets replies although PINGs get none. */
  private boolean revivedBy(long heard) {
    if (pings.doubt() != Doubt.NONE
        || !NodeState.isAfter(heard, state.downAt())
        || state.dataTrouble() != null) {
      return false;
    }
    state.up("answers on the data connection");
    return true;
  }

  private void refresh() {
    if (!refreshing) {
      refreshing = true;
      if (!after(this::refreshIfStillOld, REFRESH_DELAY.toNanos())) {
        refreshing = false;
      }
    }
  }

  private void refreshIfStillOld() {
    refreshing = false;
    long latest = state.lastHeard();
    if (latest == ReplyActivity.NEVER || ReplyActivity.now() - latest > refreshNanos) {
      pings.probe();
    }
  }

  // ---- PINGs

  /** Joins a PING. See {@link SingleFlight#join}. */
  CompletableFuture<Duration> ping(long maxAgeNanos, Duration timeout) {
    return pings.ping(maxAgeNanos, timeout);
  }

  private void tick() {
    if (closed) {
      return;
    }
    try {
      if (line.current() != null && !isBusy()) {
        pings.probe();
      }
    } finally {
      after(this::tick, jitter.pauseNanos());
    }
  }

  /** Whether replies to users' commands make PINGs unnecessary. */
  private boolean isBusy() {
    long heard = state.heard();
    return state.state() == AvailabilityState.UP
        && pings.doubt() == Doubt.NONE
        && !context.checksCluster().getAsBoolean()
        && heard != ReplyActivity.NEVER
        && System.nanoTime() - heard < options.interval().toNanos();
  }

  /** Sends a PING soon, because another node of the cluster has changed. */
  void suspect() {
    pings.probeSoon();
  }

  private void tell(AvailabilityStatus before, AvailabilityStatus after) {
    context.tell().accept(new AvailabilityChange(name, before, after));
  }

  // ---- The guard's connection

  private void onLine(GuardConnection.Event event, @Nullable Throwable cause) {
    switch (event) {
      case OPENED -> {
        starting = false;
        pings.probe();
      }
      case LOST -> {
        lostAt = ReplyActivity.now();
        after(this::giveUpIfLost, options.downAfter().toNanos());
      }
      case NOT_OPENED -> {
        starting = false;
        notOpened(cause == null ? new IllegalStateException("no connection") : cause);
      }
    }
  }

  /** Declares the node DOWN if there is still no connection and no reply elsewhere. */
  private void giveUpIfLost() {
    long since = lostAt;
    boolean longEnough = ReplyActivity.now() - since >= options.downAfter().toNanos();
    if (!closed && line.current() == null && longEnough && !state.heardSince(since)) {
      String reason = "no connection for " + options.downAfter().toMillis() + " ms";
      if (!state.isDown()) {
        state.down("no connection: " + reason);
      }
      line.failWaiting(new UnavailableException(reason));
    }
  }

  private void notOpened(Throwable cause) {
    String reason = context.settings().explain().apply(cause, options.downAfter());
    if (!state.heardSince(lostAt)) {
      state.down("no connection: " + reason);
    }
  }

  // ---- The data connection

  private void onData(ReplyActivity.Event event, @Nullable String error) {
    switch (event) {
      case CONNECTED -> after(this::dataConnected, 0);
      case LOST -> after(pings::probe, options.timeout().toNanos());
      case SILENT -> pings.probeSoon();
      case REFUSED -> refused(error == null ? "" : error);
    }
  }

  private void dataConnected() {
    if (pings.doubt() == Doubt.ROLE) {
      // The name may resolve to another node now, the one that users' commands reach.
      line.renew();
    } else {
      pings.probe();
    }
  }

  private void refused(String error) {
    if (error.startsWith("READONLY")) {
      pings.doubt(Doubt.ROLE);
    } else if (error.startsWith("CLUSTERDOWN")) {
      pings.doubt(Doubt.CLUSTER);
    } else {
      pings.probeSoon();
    }
  }

  /** Closes the guard of a node that is no longer a primary. */
  void close() {
    silence();
    line.close();
    pings.close();
  }

  /**
   * Stops the guard without closing the connection.
   *
   * @return completes when no connection is being opened
   */
  CompletableFuture<?> stop() {
    silence();
    CompletableFuture<?> stopped = line.stop();
    pings.close();
    return stopped;
  }

  private void silence() {
    closed = true;
    state.close();
    state.unwatch();
  }

  @Override
  public String toString() {
    return name + " " + state.state();
  }
}
