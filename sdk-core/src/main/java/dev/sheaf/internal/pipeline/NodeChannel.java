// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.heal.Refusals;
import dev.sheaf.internal.heal.SilenceWatch;
import dev.sheaf.internal.heal.Socket;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.NodeSpans;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.ConnectionWatchdog;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The live socket of one node connection, from activation to loss: tells the {@link NodePipeline}
 * when and on which thread it may write.
 *
 * <p>All state is confined to the event loop of the channel. After a reconnect there is a new
 * object, so that what was counted on the lost socket cannot spoil the count on the new one.
 */
final class NodeChannel extends ChannelDuplexHandler implements Socket, Flight.Carrier {

  /** Is told of the beginning and the end of sockets. */
  interface Lifecycle {

    /** The socket can be used. On its event loop. */
    void opened(NodeChannel socket);

    /** The socket cannot be used any more. On its event loop. */
    void lost(NodeChannel socket);
  }

  private final NodePipeline pipeline;
  private final Lifecycle lifecycle;
  private final Channel channel;
  private final boolean readsFlights;

  /** The event loop, if callers may drive it. */
  private final @Nullable DrivenEventLoop loop;

  /** What awaits replies, in the order in which it was written. */
  private final Deque<Flight> outstanding = new ArrayDeque<>();

  private final RoundTripGauge roundTrips = new RoundTripGauge();
  private int inFlightCommands;
  private long inFlightBytes;
  private int inFlightCallbacks;

  /** Whether the keeper alone may run the event loop: while it is opened, or for a transaction. */
  private boolean holding;

  private boolean lost;

  /** When something was read last, by System.nanoTime. Set lazily, for any thread to read. */
  private final AtomicLong heardNanos = new AtomicLong(System.nanoTime());

  /** Whether that is noted of what is being read, so that the clock is asked once. */
  private boolean heard;

  private final SilenceWatch silence;

  /** Whether that looks now and then. */
  private boolean watched;

  /** Judges error replies in a row; null if the last reply was none. */
  private @Nullable Refusals refusals;

  private final WrittenCommands written;

  /** What reconnects; null if nothing does. */
  private volatile @Nullable ConnectionWatchdog watchdog;

  /**
   * Creates the view of a socket.
   *
   * @param readsFlights whether its reader of replies knows that a flight has several
   */
  NodeChannel(NodePipeline pipeline, Lifecycle lifecycle, Channel channel, boolean readsFlights) {
    this.pipeline = pipeline;
    this.lifecycle = lifecycle;
    this.channel = channel;
    this.readsFlights = readsFlights;
    this.loop = channel.eventLoop() instanceof DrivenEventLoop driven ? driven : null;
    this.silence = pipeline.watch(this);
    this.written = new WrittenCommands(channel, pipeline::heardNanos);
  }

  @Override
  public void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  /**
   * Closes the socket, soon, because there is another one: its end is no reason to reconnect. Safe
   * for any thread.
   */
  void closeSuperseded() {
    ChannelHandler watchdog = channel.pipeline().get(ConnectionWatchdog.class);
    if (watchdog != null) {
      channel.pipeline().remove(watchdog);
    }
    channel.close();
  }

  /** Whether Lettuce has given the connection up, and will open no other socket. */
  boolean isGivenUp() {
    ConnectionWatchdog reconnecting = watchdog;
    return reconnecting != null && reconnecting.isReconnectSuspended();
  }

  /** Takes note, the first time, that the socket is lost. On its event loop. */
  void lose() {
    if (!lost) {
      lost = true;
      if (loop != null) {
        loop.answered(inFlightCommands, inFlightCallbacks);
        endHold();
      }
      lifecycle.lost(this);
    }
  }

  /**
   * Hands a task on to the thread that owns the socket, unless that is the current one, or takes no
   * tasks any more because the client was shut down.
   *
   * @return whether it was handed on
   */
  boolean handedOn(Runnable task) {
    if (channel.eventLoop().inEventLoop()) {
      return false;
    }
    try {
      execute(task);
      return true;
    } catch (RejectedExecutionException shutDown) {
      return false;
    }
  }

  /** The node's address. */
  SocketAddress remoteAddress() {
    return channel.remoteAddress();
  }

  /** The node's address as host:port, or as the transport writes it. */
  @Override
  public String address() {
    return channel.remoteAddress() instanceof InetSocketAddress internet
        ? internet.getHostString() + ":" + internet.getPort()
        : String.valueOf(channel.remoteAddress());
  }

  @Override
  public Lateness whyLate(RedisCommand<?, ?, ?> command) {
    return pipeline.whyLate(command);
  }

  @Override
  public void timedOut(Lateness why, int commands) {
    pipeline.timedOut(why, commands);
  }

  /** Why a command has no reply; null if it was not written on this socket. For any thread. */
  @Nullable Lateness find(RedisCommand<?, ?, ?> command) {
    return written.find(command);
  }

  /** When something was read last, by System.nanoTime. For any thread. */
  long heardNanos() {
    return heardNanos.get();
  }

  /** Whether the socket takes more bytes now. When it does again, the writer is told. */
  boolean isWritable() {
    return channel.isWritable();
  }

  List<Flight> outstanding() {
    return List.copyOf(outstanding);
  }

  /** Whether something is under way whose reply should be here soon. */
  boolean isReplyNear() {
    return inFlightCommands > 0 && roundTrips.isNear();
  }

  int inFlightCommands() {
    return inFlightCommands;
  }

  @Override
  public long inFlightBytes() {
    return inFlightBytes;
  }

  /** Whether replies come from so far that a good deal can be done until then. */
  boolean isFar() {
    return roundTrips.isFar();
  }

  /**
   * Makes flights of commands that are about to be written here, in their order, and counts them.
   */
  List<RedisCommand<?, ?, ?>> board(List<RedisCommand<?, ?, ?>> commands) {
    if (commands.size() == 1) {
      return List.of(boardAlone(commands.get(0)));
    }
    List<RedisCommand<?, ?, ?>> boarded = new ArrayList<>();
    List<RedisCommand<?, ?, ?>> parts = new ArrayList<>(readsFlights ? commands.size() : 1);
    for (RedisCommand<?, ?, ?> command : commands) {
      if (command instanceof EncodedCommand<?, ?, ?> outgoing && outgoing.travelsAlone()) {
        hold();
        outgoing.expiresBy(pipeline.expiry());
        parts = takeOff(parts, boarded);
        boarded.add(command);
      } else {
        parts.add(command);
        if (!readsFlights) {
          parts = takeOff(parts, boarded);
        }
      }
    }
    takeOff(parts, boarded);
    return boarded;
  }

  /** The event loop of the socket, if callers may drive it. */
  @Nullable DrivenEventLoop loop() {
    return loop;
  }

  /** From now on the keeper alone may run the event loop. On it. */
  void hold() {
    if (loop != null && !holding) {
      holding = true;
      loop.hold();
    }
  }

  /** Nothing is under way that callers must not run into. On the event loop. */
  void endHold() {
    if (loop != null && holding) {
      holding = false;
      loop.release();
    }
  }

  /** The usual case of a lone caller. */
  private RedisCommand<?, ?, ?> boardAlone(RedisCommand<?, ?, ?> command) {
    if (command instanceof EncodedCommand<?, ?, ?> outgoing && outgoing.travelsAlone()) {
      hold();
      outgoing.expiresBy(pipeline.expiry());
      return command;
    }
    return flight(List.of(command));
  }

  private List<RedisCommand<?, ?, ?>> takeOff(
      List<RedisCommand<?, ?, ?>> parts, List<RedisCommand<?, ?, ?>> boarded) {
    if (parts.isEmpty()) {
      return parts;
    }
    boarded.add(flight(parts));
    return new ArrayList<>(1);
  }

  private Flight flight(List<RedisCommand<?, ?, ?>> parts) {
    Flight flight = new Flight(parts, this);
    count(flight);
    NodeSpans spans = pipeline.spans();
    if (spans != null) {
      spans.departs(
          flight,
          flight.firstCommand(),
          flight.commands(),
          flight.fusedCommands(),
          flight.bytes(),
          flight.sentNanos());
    }
    return flight;
  }

  private void count(Flight flight) {
    inFlightCommands += flight.commands();
    inFlightBytes += flight.bytes();
    inFlightCallbacks += flight.callbacks();
    if (loop != null) {
      loop.written(flight.commands(), flight.callbacks());
    }
    outstanding.add(flight);
    ReplyActivity listener = pipeline.listener();
    if (listener != null) {
      listener.departed(flight, flight.sentNanos());
    }
    if (!watched) {
      watched = true;
      silence.begin();
    }
  }

  /**
   * Counts replies. Lettuce completes each flight it has read to its end once, on the event loop.
   */
  @Override
  public void answered(Flight flight) {
    long now = System.nanoTime();
    heard(now);
    roundTrips.observe(now - flight.sentNanos());
    // Replies come in order, so it is the first one.
    outstanding.remove(flight);
    inFlightCommands -= flight.commands();
    inFlightBytes -= flight.bytes();
    inFlightCallbacks -= flight.callbacks();
    if (loop != null && !lost) {
      loop.answered(flight.commands(), flight.callbacks());
    }
    pipeline.answered(this);
  }

  @Override
  public void replied(@Nullable CommandOutput<?, ?, ?> output) {
    Refusals judge = refusals;
    if (output != null && output.hasError()) {
      if (judge == null) {
        judge = new Refusals(pipeline.healer(), this);
        refusals = judge;
      }
      judge.reply(output.getError(), channel.remoteAddress());
    } else if (judge != null) {
      judge.none();
      refusals = null;
    }
  }

  @Override
  public boolean isReplaceable() {
    ConnectionWatchdog reconnecting = watchdog;
    return reconnecting != null
        && reconnecting.isListenOnChannelInactive()
        && !reconnecting.isReconnectSuspended()
        && channel.isOpen();
  }

  @Override
  public boolean isAwaiting() {
    return !lost && !outstanding.isEmpty();
  }

  @Override
  public void unwatched() {
    watched = false;
  }

  @Override
  public long silentNanos() {
    Flight first = outstanding.peekFirst();
    if (first == null || lost) {
      return 0;
    }
    long now = System.nanoTime();
    return Math.max(0, Math.min(now - first.sentNanos(), now - heardNanos.get()));
  }

  @Override
  public boolean isBlocking() {
    Flight first = outstanding.peekFirst();
    return first != null && first.isBlocking();
  }

  @Override
  public boolean isUnknown() {
    Flight first = outstanding.peekFirst();
    return first != null && first.isUnknown();
  }

  @Override
  public long timeoutNanos() {
    Flight first = outstanding.peekFirst();
    return first == null ? Long.MAX_VALUE / 2 : pipeline.timeoutNanos(first.current());
  }

  @Override
  public void close() {
    channel.close();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (!heard) {
      heard(System.nanoTime());
    }
    heard = false;
    context.fireChannelReadComplete();
  }

  /** Takes note of the time of a read, once for each. */
  void heard(long now) {
    heardNanos.lazySet(now);
    heard = true;
  }

  @Override
  public void delivered() {
    pipeline.delivered();
  }

  @Override
  public void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last) {
    ReplyActivity listener = pipeline.listener();
    if (listener != null) {
      listener.arrived(flight, last);
    }
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    endHold();
    watchdog = channel.pipeline().get(ConnectionWatchdog.class);
    heardNanos.lazySet(System.nanoTime());
    lifecycle.opened(this);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    lose();
    context.fireChannelInactive();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      pipeline.resume();
    }
    context.fireChannelWritabilityChanged();
  }
}
