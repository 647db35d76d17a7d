// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.fusion.RunFuser;
import dev.sheaf.internal.heal.Healer;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.NodeSpans;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.protocol.RedisCommand;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The way of commands from their callers to the socket of one node.
 *
 * <p>Callers add to a queue and go on; one that finds it unattended wakes the event loop, which
 * takes all that has gathered, fuses runs of GETs and writes everything at once (group commit).
 * While the event loop reads replies, the next batch gathers, so batches grow with the load, by
 * themselves and without a timer; a lone caller wakes the event loop just as plain Lettuce does,
 * and waits for nothing else.
 *
 * <p>While the socket is full, replies are overdue or there is no socket, commands wait in the
 * queue, within its bounds and until their time-out. What was written on a lost socket and only
 * reads goes out again ahead of the queue; see {@link Replay}.
 *
 * <p>A caller that drives the event loop itself ({@link DrivenEventLoop}) writes at once.
 *
 * <p>Thread-safe. There is one consumer at a time: the drain that is scheduled, running or stalled.
 * While there is a socket, drains run on its event loop.
 */
public final class NodePipeline implements NodeChannel.Node {

  /** How many commands one turn of the event loop takes before other connections get theirs. */
  private static final int COMMANDS_PER_TURN = 512;

  /** So many that the write they may share with others costs little for each. */
  private static final int DELIVERIES_PER_LOOK = 16;

  private final BatchingOptions options;
  private final boolean rejectsWhileDisconnected;
  private final @Nullable BatchMeters meters;
  private final BatchAssembler next;
  private final PendingQueue queue;
  private final ReplyActivity signsOfLife = new ReplyActivity(this::listen);

  /** What takes note of replies; null while no guard asks. */
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

  /** How many replies were handed to their callers; belongs to the event loop. */
  private int deliveries;

  /**
   * A stall outlasted {@link CommandExpiry#INTERVAL_MILLIS}, so the reply is not near after all, or
   * never comes: batches are not held until the next one.
   */
  private volatile boolean heldForLong;

  private volatile boolean autoFlush = true;

  /** Null if nothing has spans. */
  private final @Nullable NodeSpans spans;

  private volatile @Nullable Lanes lanes;

  NodePipeline(
      RedisChannelWriter delegate,
      ClientContext context,
      boolean cluster,
      ClientOptions clientOptions,
      CommandTimeouts timeouts) {
    this.meters = context.meters();
    this.options = context.batching();
    DisconnectedBehavior meanwhile = clientOptions.getDisconnectedBehavior();
    this.rejectsWhileDisconnected =
        meanwhile == DisconnectedBehavior.REJECT_COMMANDS
            || (meanwhile == DisconnectedBehavior.DEFAULT && !clientOptions.isAutoReconnect());
    this.spans = NodeSpans.of(delegate::getClientResources, context.observe());
    Timer timer = Timer.on(() -> delegate.getClientResources().eventExecutorGroup());
    this.reasons = new LateReasons(this, options, meters);
    this.expiry = new CommandExpiry(timeouts, timer, this::expireStalled, reasons);
    this.timeouts = timeouts;
    this.usualTimeoutNanos = context.commandTimeout().toNanos();
    this.healer = context.healing().healer(timer);
    this.queue =
        new PendingQueue(options, context.writes(), meters, this::entered, this::attendHere);
    this.next =
        new BatchAssembler(
            delegate,
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

  /** The spans of what goes this way; null if nothing has spans. */
  @Override
  public @Nullable NodeSpans spans() {
    return spans;
  }

  /** Ends commands that are late. */
  CommandExpiry expiry() {
    return expiry;
  }

  /** What waits to be written. */
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
      // Nobody else ends what waits for its time-out until it is flushed.
      expiry.schedule();
    }
  }

  /** Sees to it that the queue is drained, soon. */
  void attend() {
    if (state.get() == IDLE && state.compareAndSet(IDLE, SCHEDULED)) {
      schedule();
    }
  }

  /** As {@link #attend}, at once. By a caller that owns the event loop of the socket. */
  void attendHere() {
    NodeChannel current = channel;
    if (current != null && state.compareAndSet(IDLE, DRAINING)) {
      drainOnce(current);
    }
  }

  /** Has this be the main one of several connections to its server. Before it is used. */
  public void setLanes(Lanes lanes) {
    this.lanes = lanes;
  }

  /** The other connections to the same server; null if there are to be none. */
  @Nullable Lanes lanes() {
    return lanes;
  }

  /** The event loop of the socket, if callers may drive it. */
  @Nullable DrivenEventLoop loop() {
    NodeChannel current = channel;
    return current == null || !autoFlush ? null : current.loop();
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

  /** Writes what has gathered, in the state SCHEDULED. */
  private void drain() {
    do {
      NodeChannel current = channel;
      if (current != null && current.handedOn(drain)) {
        // There is another socket since this drain was scheduled, or one since there was none.
        return;
      }
      state.set(DRAINING);
      if (!drainOnce(current) || current != null) {
        return;
      }
    } while (isWaiting() && state.compareAndSet(IDLE, SCHEDULED));
  }

  /** Writes one batch, in the state DRAINING; whether it left the state IDLE. */
  private boolean drainOnce(@Nullable NodeChannel current) {
    if (mustWait(current)) {
      stall(current);
      return false;
    }
    int taken = next.write(current, COMMANDS_PER_TURN, isReconnecting());
    // Without automatic flushing nobody else comes for what is left.
    if (current != null && (taken >= COMMANDS_PER_TURN || (!autoFlush && !queue.isEmpty()))) {
      state.set(SCHEDULED);
      schedule();
      return false;
    }
    state.set(IDLE);
    if (current != null) {
      // Another turn, not another round: replies are read between two turns.
      attendIfWaiting();
    }
    return true;
  }

  /**
   * Takes note that a command has its reply, and others wait for theirs. Callers that were woken
   * meanwhile may ask for more already: where replies come from far, that is written at once, on
   * the event loop, and not after the last of those others has been woken.
   */
  @Override
  public void delivered() {
    if (++deliveries % DELIVERIES_PER_LOOK == 0) {
      NodeChannel current = channel;
      if (current != null && current.isFar() && state.get() == SCHEDULED && !mustWait(current)) {
        next.write(current, COMMANDS_PER_TURN, false);
      }
    }
  }

  private boolean isWaiting() {
    return autoFlush ? !next.isEmpty() : next.hasAgain();
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
    return isWorthHolding(current)
        || !current.isWritable()
        || (current.inFlightCommands() > 0 && next.isAlone())
        || current.inFlightCommands() >= options.maxInFlightCommands()
        || current.inFlightBytes() >= options.maxInFlightBytes();
  }

  /**
   * Whether there is no socket, but was and will be one. Until the first there is nothing to wait
   * for: Lettuce takes what is written as it is.
   */
  private boolean isReconnecting() {
    return lastChannel != null && !queue.isClosed() && !isGivenUp();
  }

  /** Whether Lettuce opens no other socket, and so has the reason why commands fail. */
  boolean isGivenUp() {
    NodeChannel last = lastChannel;
    return last != null && last.isGivenUp();
  }

  /**
   * Whether a reply is so near that what gathers until it arrives makes a batch worth waiting for.
   * Not while fewer commands are under way than wait: one or two callers never wait for each other.
   */
  private boolean isWorthHolding(NodeChannel current) {
    return !heldForLong
        && current.isReplyNear()
        && queue.commands() < current.inFlightCommands()
        && !next.hasAgain();
  }

  /** Waits, in the state STALLED; {@link #resume} goes on. */
  private void stall(@Nullable NodeChannel current) {
    state.set(STALLED);
    expiry.schedule();
    // Whatever would have resumed may have happened before the lines above.
    if (channel != current || !mustWait(current)) {
      resume();
    }
  }

  /** Goes on after a stall. */
  @Override
  public void resume() {
    if (state.compareAndSet(STALLED, SCHEDULED)) {
      schedule();
    }
  }

  /** Lets go of what has waited for too long, in a stall or until it is flushed. */
  private void expireStalled() {
    if (!autoFlush && !queue.isEmpty() && state.compareAndSet(IDLE, DRAINING)) {
      try {
        next.expireWaiting();
      } finally {
        state.set(IDLE);
        expiry.schedule();
        attendIfWaiting();
      }
    } else if (state.compareAndSet(STALLED, SCHEDULED)) {
      heldForLong = true;
      try {
        next.expireWaiting();
      } finally {
        // A source of time-outs is the user's and may throw; the queue still needs its consumer.
        schedule();
      }
    }
  }

  /** Called on the event loop when replies have made room. */
  @Override
  public void answered(NodeChannel from) {
    heldForLong = false;
    if (from != channel) {
      return;
    }
    if (state.get() == STALLED && !mustWait(from)) {
      resume();
    }
  }

  /** The socket is there. Called on its event loop. */
  void attach(NodeChannel opened) {
    next.begin();
    channel = opened;
    lastChannel = opened;
    if (spans != null) {
      spans.connected(opened.channel().remoteAddress());
    }
    healer.opened(opened);
    signsOfLife.connected();
    resume();
    attendIfWaiting();
  }

  /** The socket is lost. Called on its event loop. */
  void detach(NodeChannel lost) {
    next.again(Replay.of(lost.outstanding()));
    healer.lost(lost);
    if (channel == lost) {
      channel = null;
      signsOfLife.lost();
    }
    resume();
    attendIfWaiting();
  }

  /** Why commands are late. */
  @Override
  public LateReasons reasons() {
    return reasons;
  }

  /** The socket; null while there is none. */
  @Nullable NodeChannel channel() {
    return channel;
  }

  /** The socket, or the one before if there is none; null before the first. */
  @Nullable NodeChannel lastChannel() {
    return lastChannel;
  }

  /** Closes sockets that stay broken. */
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

  /** What is to be told of flights; null if nothing is. */
  @Override
  public @Nullable ReplyActivity listener() {
    return listener;
  }

  /** What the replies tell about the node. */
  @Override
  public ReplyActivity signsOfLife() {
    return signsOfLife;
  }

  /** Whether everything that was submitted has been written. For tests. */
  boolean isIdle() {
    return state.get() == IDLE && !isWaiting();
  }

  /**
   * Hands what waits for a lost socket of a cluster node to the delegate, which is about to be
   * closed and then has it routed anew: the node may have left, and another one have its slots.
   */
  void handOver() {
    if (channel != null || !state.compareAndSet(STALLED, DRAINING)) {
      return;
    }
    next.handOver();
    state.set(STALLED);
  }

  /** Ends the pipeline. What waits is handed to the closed delegate, which fails it. */
  void close() {
    queue.close();
    healer.close();
    if (meters != null) {
      meters.closed(queue);
    }
    channel = null;
    resume();
    attend();
  }
}
