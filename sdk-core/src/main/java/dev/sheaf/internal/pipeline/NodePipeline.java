// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.command.CommandTraits;
import dev.sheaf.internal.common.ClientThreads;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.fusion.RunFuser;
import dev.sheaf.internal.heal.Healer;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.NodeSpans;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The pipeline of commands from their callers to the socket of one node.
 *
 * <p>Callers add commands to a queue and continue. The first one to add to an idle queue wakes the
 * event loop, which takes everything in the queue, fuses runs of GETs and sends all of it in one
 * write (group commit). The next batch collects while the event loop reads replies. So batches grow
 * with the load, without a timer. A single caller wakes the event loop as in plain Lettuce, and
 * waits for nothing else.
 *
 * <p>While the socket is not writable, replies are overdue or there is no socket, commands stay in
 * the bounded queue until their time-out. Reads that were sent on a lost socket are sent again
 * ahead of the queue; see {@link Replay}.
 *
 * <p>A caller that drives the event loop itself ({@link DrivenEventLoop}) writes at once.
 *
 * <p>Thread-safe. There is one consumer at a time: the drain that is scheduled, running or stalled.
 * While there is a socket, drains run on its event loop.
 */
public final class NodePipeline implements NodeChannel.Node {

  /** Most commands to take in one turn of the event loop, so that other connections get theirs. */
  private static final int COMMANDS_PER_TURN = 512;

  /** Enough commands to share the cost of a write between them. */
  private static final int DELIVERIES_PER_CHECK = 16;

  private final BatchingOptions options;
  private final boolean rejectsWhileDisconnected;
  private final @Nullable BatchMeters meters;
  private final BatchAssembler assembler;
  private final PendingQueue queue;
  private final ReplyActivity replyActivity = new ReplyActivity(this::listen);

  /** Observes replies for the availability guard; null while there is none. */
  private volatile @Nullable ReplyActivity listener;

  private final Healer healer;
  private final CommandTimeouts timeouts;
  private final long usualTimeoutNanos;

  // The states of the queue, which docs/ARCHITECTURE.md draws.
  private static final int IDLE = 0;
  private static final int SCHEDULED = 1;
  private static final int DRAINING = 2;
  private static final int STALLED = 3;

  private final AtomicInteger state = new AtomicInteger(IDLE);

  private final Runnable drain = this::drain;
  private final CommandExpiry expiry;
  private final LateReasons reasons;

  private volatile @Nullable NodeChannel channel;

  /** The socket, or the one before if there is none. */
  private volatile @Nullable NodeChannel lastChannel;

  /** How many replies were delivered to their callers. Event loop only. */
  private int deliveries;

  private volatile boolean autoFlush = true;

  /** Null without tracing. */
  private final @Nullable NodeSpans spans;

  /** Whether the latency of commands is recorded. */
  private final BooleanSupplier measured;

  private final int yields;

  private volatile @Nullable Lanes lanes;

  private volatile Mono<SocketAddress> node = Mono.empty();

  /** What this is a lane of; null if it is the main connection to its server, or the only one. */
  private volatile @Nullable LaneOf laneOf;

  /**
   * The main connection of a lane.
   *
   * @param main takes the lane's commands when its socket is lost
   * @param end ends the lane then
   */
  private record LaneOf(NodePipeline main, Runnable end) {}

  NodePipeline(
      RedisChannelWriter delegate,
      ClientContext context,
      boolean cluster,
      ClientOptions clientOptions,
      CommandTimeouts timeouts) {
    this.meters = context.meters();
    this.options = context.batching();
    this.yields = context.yields();
    DisconnectedBehavior meanwhile = clientOptions.getDisconnectedBehavior();
    this.rejectsWhileDisconnected =
        meanwhile == DisconnectedBehavior.REJECT_COMMANDS
            || (meanwhile == DisconnectedBehavior.DEFAULT && !clientOptions.isAutoReconnect());
    this.spans = NodeSpans.of(delegate::getClientResources, context.observe());
    this.measured = () -> delegate.getClientResources().commandLatencyRecorder().isEnabled();
    Timer timer = Timer.on(() -> ClientThreads.of(delegate.getClientResources()));
    this.reasons = new LateReasons(this, options, meters);
    this.expiry = new CommandExpiry(timeouts, timer, this::expireStalled, reasons);
    this.timeouts = timeouts;
    this.usualTimeoutNanos = context.commandTimeout().toNanos();
    this.healer = context.healing().healer(timer);
    this.queue =
        new PendingQueue(options, context.writes(), meters, this::entered, this::attendHere);
    this.assembler =
        new BatchAssembler(
            delegate,
            timeouts.withoutTimer(delegate),
            options,
            clientOptions.getReplayFilter(),
            queue,
            rewriter -> new RunFuser(options, cluster, meters, rewriter, this::delivered),
            context.scriptTexts(),
            expiry,
            meters,
            this::channel);
    if (meters != null) {
      meters.opened(queue);
    }
  }

  /** The spans of the commands; null without tracing. */
  @Override
  public @Nullable NodeSpans spans() {
    return spans;
  }

  /**
   * Whether to send a read of that many keys as MGET now. Never if each GET is observed, by spans
   * or by a latency recorder.
   */
  public boolean readsPages(int keys) {
    return keys > 1
        && options.fusion()
        && spans == null
        && !measured.getAsBoolean()
        && assembler.gauge().decide();
  }

  /** Most keys of an MGET. */
  public int maxFusedKeys() {
    return options.maxFusedKeys();
  }

  /** Records the reply to a read that was sent as MGET. */
  public void answeredPage(int keys, int nils) {
    assembler.gauge().observe(nils, keys);
    if (meters != null) {
      meters.fused(CommandTraits.of(CommandType.GET), keys, keys);
      meters.nilChecks(nils);
    }
  }

  /** Records an error in place of that reply. */
  public void refusedPage(String error) {
    if (error.startsWith("NOPERM")) {
      assembler.gauge().refused();
    }
  }

  /** Fails commands at their time-out. */
  CommandExpiry expiry() {
    return expiry;
  }

  /** The commands that wait to be written. */
  PendingQueue queue() {
    return queue;
  }

  void setAutoFlush(boolean autoFlush) {
    this.autoFlush = autoFlush;
  }

  private void entered() {
    if (autoFlush) {
      attend();
    } else {
      // Nothing else fails unflushed commands at their time-out.
      expiry.schedule();
    }
  }

  /** Schedules a drain of the queue, unless one is under way. */
  void attend() {
    if (state.get() == IDLE && state.compareAndSet(IDLE, SCHEDULED)) {
      schedule();
    }
  }

  /** Drains the queue now. Called by the owner of the socket's event loop. */
  void attendHere() {
    NodeChannel current = channel;
    if (current == null) {
      attend();
    } else if (state.compareAndSet(IDLE, DRAINING)) {
      drainOnce(current);
    }
  }

  /** Makes this the main one of several connections to its server. Called before it is used. */
  public void setLanes(Lanes lanes) {
    this.lanes = lanes;
  }

  /** The other connections to the same server; null if there are none. */
  @Nullable Lanes lanes() {
    return lanes;
  }

  /**
   * Makes this a lane, without a second socket: when the first is lost, its commands continue on
   * the main connection.
   *
   * @param end called on the event loop then
   */
  void laneOf(NodePipeline main, Runnable end) {
    laneOf = new LaneOf(main, end);
  }

  /** Closes the socket, if there is one. */
  void closeSocket() {
    NodeChannel current = channel;
    if (current != null) {
      current.close();
    }
  }

  /** Takes commands of a lane, and sends those that waited there ahead of the queue. */
  private void takeOver(BatchAssembler ofLane) {
    assembler.takeOver(ofLane);
    attendIfWaiting();
  }

  /** The event loop of the socket if callers can drive it, else null. */
  @Nullable DrivenEventLoop loop() {
    NodeChannel current = channel;
    return current == null || !autoFlush ? null : current.loop();
  }

  /** How often a thread that drives that loop yields the processor before it blocks. */
  int yields() {
    return yields;
  }

  /** In the state SCHEDULED. */
  private void schedule() {
    NodeChannel current = channel;
    if (current == null) {
      drain();
      return;
    }
    try {
      current.execute(drain);
    } catch (RejectedExecutionException shutDown) {
      drain();
    }
  }

  /** Writes the queued commands. In the state SCHEDULED. */
  private void drain() {
    do {
      NodeChannel current = channel;
      if (current != null && current.handedOn(drain)) {
        // The socket has changed since this drain was scheduled.
        return;
      }
      state.set(DRAINING);
      if (!drainOnce(current) || current != null) {
        return;
      }
    } while (isWaiting() && state.compareAndSet(IDLE, SCHEDULED));
  }

  /** Writes one batch, in the state DRAINING. Returns whether the state is IDLE afterwards. */
  private boolean drainOnce(@Nullable NodeChannel current) {
    LaneOf lane = laneOf;
    if (current == null && lane != null) {
      lane.main().takeOver(assembler);
      state.set(IDLE);
      return true;
    }
    if (mustWait(current)) {
      stall(current);
      return false;
    }
    int taken = assembler.write(current, COMMANDS_PER_TURN, isReconnecting());
    // Without automatic flushing nothing else drains the rest.
    if (current != null && (taken >= COMMANDS_PER_TURN || (!autoFlush && !queue.isEmpty()))) {
      state.set(SCHEDULED);
      schedule();
      return false;
    }
    state.set(IDLE);
    if (current != null) {
      // In another turn of the event loop, so that replies are read in between.
      attendIfWaiting();
    }
    return true;
  }

  /**
   * Counts a delivered reply. Callers that were woken by earlier replies may have queued new
   * commands already. If the server is far away, these are written now, and not after all others
   * have been woken.
   */
  @Override
  public void delivered() {
    if (++deliveries % DELIVERIES_PER_CHECK == 0) {
      NodeChannel current = channel;
      if (current != null
          && current.timing().decide()
          && state.get() == SCHEDULED
          && !mustWait(current)) {
        assembler.write(current, COMMANDS_PER_TURN, false);
      }
    }
  }

  private boolean isWaiting() {
    return autoFlush ? !assembler.isEmpty() : assembler.hasAgain();
  }

  private void attendIfWaiting() {
    if (isWaiting()) {
      attend();
    }
  }

  private boolean mustWait(@Nullable NodeChannel current) {
    if (current == null) {
      return isReconnecting() && !rejectsWhileDisconnected;
    }
    return !current.isWritable()
        || (current.inFlightCommands() > 0 && assembler.isAlone())
        || current.inFlightCommands() >= options.maxInFlightCommands()
        || current.inFlightBytes() >= options.maxInFlightBytes();
  }

  /**
   * Whether the socket was lost and Lettuce reconnects. Before the first socket there is nothing to
   * wait for: Lettuce takes all commands as they are.
   */
  private boolean isReconnecting() {
    return lastChannel != null && !queue.isClosed() && !isGivenUp();
  }

  /** Whether Lettuce has stopped reconnecting. It then knows the reason why commands fail. */
  boolean isGivenUp() {
    NodeChannel last = lastChannel;
    return last != null && last.isGivenUp();
  }

  /** Enters the state STALLED until {@link #resume}. */
  private void stall(@Nullable NodeChannel current) {
    state.set(STALLED);
    expiry.schedule();
    // The event that would have called resume may have come before the lines above.
    if (channel != current || !mustWait(current)) {
      resume();
    }
  }

  /** Ends a stall. */
  @Override
  public void resume() {
    if (state.compareAndSet(STALLED, SCHEDULED)) {
      schedule();
    }
  }

  /** Fails commands that have waited too long in a stall, or to be flushed. */
  private void expireStalled() {
    if (!autoFlush && !queue.isEmpty() && state.compareAndSet(IDLE, DRAINING)) {
      try {
        assembler.expireWaiting();
      } finally {
        state.set(IDLE);
        expiry.schedule();
        attendIfWaiting();
      }
    } else if (state.compareAndSet(STALLED, SCHEDULED)) {
      try {
        assembler.expireWaiting();
      } finally {
        // The user's source of time-outs may throw; the queue still needs its consumer.
        schedule();
      }
    }
  }

  /** Called on the event loop when replies have arrived. */
  @Override
  public void answered(NodeChannel from) {
    if (from == channel && state.get() == STALLED && !mustWait(from)) {
      resume();
    }
  }

  /** Called on the event loop when the socket is open. */
  void attach(NodeChannel opened) {
    assembler.begin();
    channel = opened;
    lastChannel = opened;
    if (spans != null) {
      spans.connected(opened.channel().remoteAddress());
    }
    healer.opened(opened);
    replyActivity.connected();
    Lanes beside = lanes;
    if (beside != null) {
      beside.connected(opened);
    }
    resume();
    attendIfWaiting();
  }

  /** Called on the event loop when the socket is lost. */
  void detach(NodeChannel lost) {
    assembler.again(Replay.of(lost.outstanding()));
    healer.lost(lost);
    Lanes beside = lanes;
    if (channel == lost) {
      channel = null;
      assembler.lost();
      replyActivity.lost();
      if (beside != null) {
        beside.disconnected();
      }
    }
    resume();
    attendIfWaiting();
    LaneOf lane = laneOf;
    if (lane != null) {
      lane.end().run();
    }
  }

  /** Tells a command, before it is queued, that its time-out is explained here. */
  public void takes(CommandHolder.Tracked<?, ?, ?> command) {
    command.heldBy(reasons);
  }

  /** Explains why commands are late. */
  @Override
  public LateReasons reasons() {
    return reasons;
  }

  /** Called before the first socket to a node of a cluster is opened. */
  public void leadsTo(Mono<SocketAddress> address) {
    node = address;
  }

  /** Finds the address for a further socket to the node; empty outside clusters. */
  public Mono<SocketAddress> node() {
    return node;
  }

  /** The socket; null while there is none. */
  @Nullable NodeChannel channel() {
    return channel;
  }

  /** The socket, or the one before if there is none; null before the first. */
  @Nullable NodeChannel lastChannel() {
    return lastChannel;
  }

  /** Closes sockets that do not recover. */
  @Override
  public Healer healer() {
    return healer;
  }

  @Override
  public long timeoutNanos(RedisCommand<?, ?, ?> command) {
    return timeouts.nanosFor(command, usualTimeoutNanos);
  }

  private void listen(@Nullable ReplyActivity activity) {
    listener = activity;
  }

  /** The observer of flights; null if there is none. */
  @Override
  public @Nullable ReplyActivity listener() {
    return listener;
  }

  @Override
  public void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last) {
    LaneOf lane = laneOf;
    ReplyActivity guard = lane == null ? listener : lane.main().listener;
    if (guard == null) {
      return;
    }
    if (lane == null) {
      guard.arrived(flight, last);
    } else {
      guard.arrivedOnLane(last, flight.sentNanos());
    }
  }

  /** The reply activity of this connection, for the availability guard. */
  @Override
  public ReplyActivity replyActivity() {
    return replyActivity;
  }

  /** Whether everything that was submitted has been written. For tests. */
  boolean isIdle() {
    return state.get() == IDLE && !isWaiting();
  }

  /**
   * Hands the commands that wait for a lost socket of a cluster node to the delegate. The delegate
   * is about to be closed and then routes them again: another node may own the slots now.
   */
  void handOver() {
    if (channel != null || !state.compareAndSet(STALLED, DRAINING)) {
      return;
    }
    assembler.handOver();
    state.set(STALLED);
  }

  /**
   * Closes the pipeline. Queued commands go to the closed delegate, which fails them. Those of a
   * lane go to its main connection, also later ones of a caller that has found it open.
   */
  void close() {
    if (laneOf == null) {
      queue.close();
    }
    healer.close();
    if (meters != null) {
      meters.closed(queue);
    }
    channel = null;
    resume();
    attend();
  }
}
