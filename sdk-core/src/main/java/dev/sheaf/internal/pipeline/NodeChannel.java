// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.availability.ReplyActivity;
import dev.sheaf.internal.heal.Healer;
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
import io.netty.channel.ChannelHandlerContext;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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

  /** The node connection that a socket belongs to. */
  interface Node {
    /** Replies have made room. On the event loop. */
    void answered(NodeChannel socket);

    /** A command has its reply, and others wait for theirs. On the event loop. */
    void delivered();

    /** The socket takes bytes again. */
    void resume();

    /** Why commands are late. */
    CommandExpiry.Reasons reasons();

    /** What closes sockets that stay broken. */
    Healer healer();

    /** What replies tell about the node. */
    ReplyActivity signsOfLife();

    /** The spans of what goes this way; null if nothing has spans. */
    @Nullable NodeSpans spans();

    /** What is to be told of flights; null if nothing is. */
    @Nullable ReplyActivity listener();

    /** How long a command may take, in nanoseconds. */
    long timeoutNanos(RedisCommand<?, ?, ?> command);
  }

  /** Is told of the beginning and the end of sockets. */
  interface Lifecycle {
    /** The socket can be used. On its event loop. */
    void opened(NodeChannel socket);

    /** The socket cannot be used any more. On its event loop. */
    void lost(NodeChannel socket);
  }

  private final Node node;
  private final Lifecycle lifecycle;
  private final Channel channel;

  /** Whether its reader of replies knows that a flight has several. */
  private final boolean readsFlights;

  /** The event loop, if callers may drive it. */
  private final @Nullable DrivenEventLoop loop;

  /** What awaits replies, in the order in which it was written. */
  private final Deque<Flight> outstanding = new ArrayDeque<>();

  private final RoundTrips roundTrips = new RoundTrips();
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

  NodeChannel(Node node, Lifecycle lifecycle, Channel channel, boolean readsFlights) {
    this.node = node;
    this.lifecycle = lifecycle;
    this.channel = channel;
    this.readsFlights = readsFlights;
    this.loop = channel.eventLoop() instanceof DrivenEventLoop driven ? driven : null;
    ReplyActivity signs = node.signsOfLife();
    this.silence = node.healer().watch(this, signs);
    signs.watchedBy(silence::answeredElsewhere);
    this.written = new WrittenCommands(channel, () -> node.reasons().heardNanos());
  }

  @Override
  public void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  /** The socket itself. */
  Channel channel() {
    return channel;
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
   * Whether a task was handed on to the thread that owns the socket, as that is not the current
   * one, and takes tasks: the client was not shut down.
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

  /** The node's address as host:port, or as the transport writes it. */
  @Override
  public String address() {
    return channel.remoteAddress() instanceof InetSocketAddress internet
        ? internet.getHostString() + ":" + internet.getPort()
        : String.valueOf(channel.remoteAddress());
  }

  @Override
  public CommandExpiry.Reasons reasons() {
    return node.reasons();
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

  boolean readsFlights() {
    return readsFlights;
  }

  /** Counts a flight that is about to be written here. */
  void departs(Flight flight) {
    inFlightCommands += flight.commands();
    inFlightBytes += flight.bytes();
    inFlightCallbacks += flight.callbacks();
    if (loop != null) {
      loop.written(flight.commands(), flight.callbacks());
    }
    outstanding.add(flight);
    ReplyActivity listener = node.listener();
    if (listener != null) {
      listener.departed(flight, flight.sentNanos());
    }
    if (!watched) {
      watched = true;
      silence.begin();
    }
    NodeSpans spans = node.spans();
    if (spans != null) {
      spans.departs(
          flight,
          flight.firstCommand(),
          flight.commands(),
          flight.fusedCommands(),
          flight.bytes(),
          flight.sentNanos());
    }
  }

  /** Lettuce completes each flight it has read to its end once, on the event loop. */
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
    node.answered(this);
  }

  @Override
  public void replied(@Nullable CommandOutput<?, ?, ?> output) {
    Refusals judge = refusals;
    if (output != null && output.hasError()) {
      if (judge == null) {
        judge = new Refusals(node.healer(), this);
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
    return first == null ? Long.MAX_VALUE / 2 : node.timeoutNanos(first.current());
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
    node.delivered();
  }

  @Override
  public void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last) {
    ReplyActivity listener = node.listener();
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
      node.resume();
    }
    context.fireChannelWritabilityChanged();
  }

  /** About how long a reply takes at best; the usual one waits in queues of a loaded server. */
  static final class RoundTrips {

    /**
     * A server on this machine, or on the next one. To hold a batch for a reply from there costs
     * callers less than the larger batch saves; from farther, a good part of a second round trip.
     */
    private static final long NEAR_NANOS = TimeUnit.MICROSECONDS.toNanos(150);

    /** About what it takes to wake the callers of a few dozen commands. */
    private static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final int WINDOW = 256;

    private long shortest = Long.MAX_VALUE;
    private long shortestBefore = Long.MAX_VALUE;
    private int observed;

    void observe(long nanos) {
      shortest = Math.min(shortest, nanos);
      if (++observed == WINDOW) {
        observed = 0;
        shortestBefore = shortest;
        shortest = Long.MAX_VALUE;
      }
    }

    boolean isNear() {
      return Math.min(shortest, shortestBefore) <= NEAR_NANOS;
    }

    boolean isFar() {
      return Math.min(shortest, shortestBefore) >= FAR_NANOS;
    }
  }
}
