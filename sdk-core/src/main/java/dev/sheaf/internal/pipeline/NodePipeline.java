// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.BatchingOptions;
import dev.sheaf.ConnectionLostException;
import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.common.Timer;
import dev.sheaf.internal.fusion.NilCheck;
import dev.sheaf.internal.fusion.RunFuser;
import dev.sheaf.internal.heal.Healer;
import dev.sheaf.internal.heal.SilenceWatch;
import dev.sheaf.internal.heal.Socket;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.NodeSpans;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.protocol.CommandWrapper;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.TransactionalCommand;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
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
 *
 * <pre>
 *           attend                  on the event loop
 *   IDLE ------------> SCHEDULED ----------------------> DRAINING
 *    ^                   ^   ^                            |  |  |
 *    |                   |   +---------- more waits ------+  |  |
 *    |                   |   resume                          |  |
 *    |                   +-------------- STALLED <-----------+  |
 *    |                                         must wait        |
 *    +----------------------------------------------------------+
 * </pre>
 */
public final class NodePipeline implements BatchMeters.Queue, CommandExpiry.Reasons {

  /** How many commands one turn of the event loop takes before other connections get theirs. */
  private static final int COMMANDS_PER_TURN = 512;

  /** So many that the write they may share with others costs little for each. */
  private static final int DELIVERIES_PER_LOOK = 16;

  private final RedisChannelWriter delegate;
  private final Timer timer;
  private final BatchingOptions options;
  private final boolean rejectsWhileDisconnected;
  private final @Nullable BatchMeters meters;
  private final BatchAssembler next;
  private final PendingQueue queue;
  private final ReplyActivity signsOfLife = new ReplyActivity(this::listen);

  /** What takes note of replies; null while no guard asks. */
  private volatile @Nullable ReplyActivity listener;

  private final long createdNanos = System.nanoTime();
  private final Healer healer;
  private final CommandTimeouts timeouts;
  private final long usualTimeoutNanos;

  /** Nobody drains, and nothing waits but what is being added. */
  private static final int IDLE = 0;

  /** A drain is on its way to the event loop. */
  private static final int SCHEDULED = 1;

  /** A drain runs, on the event loop while there is a socket. */
  private static final int DRAINING = 2;

  /** A drain waits for the socket, for replies or for a new socket. */
  private static final int STALLED = 3;

  private final AtomicInteger state = new AtomicInteger(IDLE);

  private final Runnable drain = this::drain;
  private final CommandExpiry expiry;

  private volatile @Nullable NodeChannel channel;

  /** The socket, or the one before if there is none. */
  private volatile @Nullable NodeChannel lastChannel;

  /** What ClientOptions keep from being sent after a reconnect. */
  private final Predicate<RedisCommand<?, ?, ?>> excludedFromReplay;

  /** Whether something may have waited for the current socket. */
  private volatile boolean replayDue;

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
    this.delegate = delegate;
    this.meters = context.meters();
    this.options = context.batching();
    this.excludedFromReplay = clientOptions.getReplayFilter();
    this.rejectsWhileDisconnected = rejectsWhileDisconnected(clientOptions);
    this.spans = NodeSpans.of(delegate::getClientResources, context.observe());
    this.timer = Timer.on(() -> delegate.getClientResources().eventExecutorGroup());
    this.expiry = new CommandExpiry(timeouts, timer, this::expireStalled, this);
    this.timeouts = timeouts;
    this.usualTimeoutNanos = context.commandTimeout().toNanos();
    this.healer = context.healing().healer(timer);
    this.queue =
        new PendingQueue(options, context.writes(), meters, this::entered, this::attendHere);
    this.next =
        new BatchAssembler(
            options,
            queue,
            new RunFuser(options, cluster, meters, this::writeAgain, this::delivered),
            context.scriptTexts(),
            expiry,
            meters);
    if (meters != null) {
      meters.opened(this);
    }
  }

  private static boolean rejectsWhileDisconnected(ClientOptions options) {
    return switch (options.getDisconnectedBehavior()) {
      case REJECT_COMMANDS -> true;
      case ACCEPT_COMMANDS -> false;
      case DEFAULT -> !options.isAutoReconnect();
    };
  }

  /** Runs tasks later, outside of any event loop. */
  public Timer timer() {
    return timer;
  }

  /** The spans of what goes this way; null if nothing has spans. */
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
    if (replayDue && current != null) {
      dropExcludedFromReplay();
    }
    int taken = writeNext(current);
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
  void delivered() {
    if (++deliveries % DELIVERIES_PER_LOOK == 0) {
      NodeChannel current = channel;
      if (current != null && current.isFar() && state.get() == SCHEDULED && !mustWait(current)) {
        writeNext(current);
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
  private boolean isGivenUp() {
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

  /**
   * Goes on after a stall: the socket takes bytes again, replies arrived, or the socket changed.
   */
  void resume() {
    if (state.compareAndSet(STALLED, SCHEDULED)) {
      schedule();
    }
  }

  /** Lets go of what has waited for too long, in a stall or until it is flushed. */
  private void expireStalled() {
    if (!autoFlush && !queue.isEmpty() && state.compareAndSet(IDLE, DRAINING)) {
      try {
        expireWaiting();
      } finally {
        state.set(IDLE);
        expiry.schedule();
        attendIfWaiting();
      }
    } else if (state.compareAndSet(STALLED, SCHEDULED)) {
      heldForLong = true;
      try {
        expireWaiting();
      } finally {
        // A source of time-outs is the user's and may throw; the queue still needs its consumer.
        schedule();
      }
    }
  }

  private void expireWaiting() {
    long now = System.nanoTime();
    next.forEachWaiting(command -> expiry.lookAtQueued(command, now));
  }

  /** Fails what waited while there was no socket, and is not to be sent after that. */
  private void dropExcludedFromReplay() {
    replayDue = false;
    next.forEachWaiting(
        command -> {
          if (excludedFromReplay.test(command)) {
            command.completeExceptionally(excluded(command));
          }
        });
  }

  private static ConnectionLostException excluded(RedisCommand<?, ?, ?> command) {
    return new ConnectionLostException(
        command.getType() + " was not sent again after a reconnect: replayFilter excludes it");
  }

  /** Writes the next batch, and returns how many commands were taken for it. */
  private int writeNext(@Nullable NodeChannel current) {
    int taken = next.gather(limit(current), fate(current));
    if (!next.gathered().isEmpty()) {
      try {
        writeNow(next.gathered());
      } finally {
        next.clear();
      }
    }
    return taken;
  }

  private int limit(@Nullable NodeChannel current) {
    return current == null
        ? COMMANDS_PER_TURN
        : Math.min(COMMANDS_PER_TURN, options.maxInFlightCommands() - current.inFlightCommands());
  }

  private BatchAssembler.Fate fate(@Nullable NodeChannel current) {
    if (current != null) {
      return BatchAssembler.Fate.FUSED;
    }
    return isReconnecting() ? BatchAssembler.Fate.REJECTED : BatchAssembler.Fate.UNCHANGED;
  }

  /** Writes what was written before, past the queue. Called on the event loop. */
  private void writeAgain(List<RedisCommand<?, ?, ?>> commands, long firstNanos) {
    for (RedisCommand<?, ?, ?> command : commands) {
      if (command instanceof EncodedCommand<?, ?, ?> read) {
        expiry.leavesAgain(read, firstNanos);
      } else if (command instanceof NilCheck check) {
        expiry.leavesAgain(check.get(), firstNanos);
      }
    }
    writeNow(commands);
  }

  /** Writes commands past the queue. While there is a socket, called on its event loop. */
  private void writeNow(List<RedisCommand<?, ?, ?>> commands) {
    NodeChannel current = channel;
    List<RedisCommand<?, ?, ?>> written = commands;
    try {
      if (current != null) {
        written = current.board(commands);
      } else {
        timeOneByOne(commands);
      }
      if (written.size() == 1) {
        delegate.write(written.get(0));
      } else {
        writeAll(written);
      }
    } catch (Throwable e) {
      // An Error too ends these commands and no others: the queue keeps its consumer.
      for (RedisCommand<?, ?, ?> command : written) {
        command.completeExceptionally(e);
      }
    }
  }

  /** Without a socket there are no flights. */
  private void timeOneByOne(List<RedisCommand<?, ?, ?>> commands) {
    for (RedisCommand<?, ?, ?> command : commands) {
      if (command instanceof EncodedCommand<?, ?, ?> outgoing) {
        outgoing.expiresBy(expiry);
      }
    }
  }

  /** Lettuce types a batch by one codec, though it never looks at it. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private void writeAll(List<RedisCommand<?, ?, ?>> commands) {
    delegate.write((Collection) commands);
  }

  /** Called on the event loop when replies have made room. */
  void answered(NodeChannel from) {
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
      spans.connected(opened.remoteAddress());
    }
    healer.opened(opened);
    signsOfLife.connected();
    resume();
    attendIfWaiting();
  }

  /** The socket is lost. Called on its event loop. */
  void detach(NodeChannel lost) {
    Replay replay = Replay.of(lost.outstanding());
    List<EncodedCommand<?, ?, ?>> unanswered = replay.again();
    if (meters != null) {
      meters.lost(unanswered.size(), replay.unknown());
    }
    next.again(unanswered);
    replayDue = true;
    healer.lost(lost);
    if (channel == lost) {
      channel = null;
      signsOfLife.lost();
    }
    resume();
    attendIfWaiting();
  }

  /** Names the node, to end a sentence with; empty before it was connected. */
  @Override
  public String byAddress() {
    NodeChannel current = lastChannel;
    return current == null ? "" : " by " + current.address();
  }

  /** Closes sockets that stay broken. */
  Healer healer() {
    return healer;
  }

  /** A watch for silence over a new socket. */
  SilenceWatch watch(Socket socket) {
    SilenceWatch watch = healer.watch(socket, signsOfLife);
    signsOfLife.watchedBy(watch::answeredElsewhere);
    return watch;
  }

  /** How long a command may take, where it may take any time the usual one, in nanoseconds. */
  long timeoutNanos(RedisCommand<?, ?, ?> command) {
    try {
      long nanos = timeouts.nanosFor(command);
      return nanos > 0 ? nanos : usualTimeoutNanos;
    } catch (RuntimeException ofTheUsersSource) {
      return usualTimeoutNanos;
    }
  }

  /** When the node was last heard of, on this connection or a lane, by System.nanoTime. */
  long heardNanos() {
    NodeChannel last = lastChannel;
    long heard = last == null ? createdNanos : last.heardNanos();
    Lanes beside = lanes;
    return beside == null ? heard : beside.heardNanos(heard);
  }

  /**
   * Why a command has no reply, as far as it can be told now. For any thread; waits for the event
   * loop a moment.
   */
  @Override
  public Lateness whyLate(RedisCommand<?, ?, ?> command) {
    NodeChannel current = channel;
    if (current == null) {
      return whyNotSent();
    }
    Lateness written = current.find(command);
    Lanes beside = lanes;
    if (written == null && beside != null) {
      written = beside.find(command);
    }
    if (written != null) {
      return written;
    }
    return isOfTransaction(command) ? Lateness.withoutExec() : whyNotSent();
  }

  /** Whether its reply says no more than that it is queued; the one that counts is EXEC's. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // Lettuce finds wrapped commands by their class.
  private static boolean isOfTransaction(RedisCommand<?, ?, ?> command) {
    return CommandWrapper.unwrap((RedisCommand) command, TransactionalCommand.class) != null;
  }

  /** What is known of a command that was written on this connection; null if it was not. */
  @Nullable Lateness find(RedisCommand<?, ?, ?> command) {
    NodeChannel current = channel;
    return current == null ? null : current.find(command);
  }

  /** Why a command that waits in the queue was not sent. For any thread. */
  @Override
  public Lateness whyNotSent() {
    NodeChannel current = channel;
    return current == null
        ? Lateness.withoutConnection(isGivenUp())
        : Lateness.unsent(
            queue.commands(),
            current.isWritable() ? current.inFlightCommands() : Lateness.SOCKET_FULL,
            options);
  }

  @Override
  public void timedOut(Lateness why, int commands) {
    if (meters != null) {
      meters.timedOut(why.stage(), commands);
    }
  }

  private void listen(@Nullable ReplyActivity activity) {
    listener = activity;
  }

  /** What is to be told of flights; null if nothing is. */
  @Nullable ReplyActivity listener() {
    return listener;
  }

  /** What the replies tell about the node. */
  public ReplyActivity signsOfLife() {
    return signsOfLife;
  }

  @Override
  public long queuedCommands() {
    return queue.commands();
  }

  @Override
  public long queuedBytes() {
    return queue.bytes();
  }

  /** Whether nothing waits or is under way. By the owner of the event loop. */
  boolean isUnused() {
    NodeChannel current = channel;
    return queue.commands() == 0 && current != null && current.inFlightCommands() == 0;
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
    for (EncodedCommand<?, ?, ?> moved : next.takeAll()) {
      if (!moved.isAbandoned()) {
        try {
          delegate.write(moved);
        } catch (RuntimeException e) {
          moved.completeExceptionally(e);
        }
      }
    }
    state.set(STALLED);
  }

  /** Ends the pipeline. What waits is handed to the closed delegate, which fails it. */
  void close() {
    queue.close();
    healer.close();
    if (meters != null) {
      meters.closed(this);
    }
    channel = null;
    resume();
    attend();
  }
}
