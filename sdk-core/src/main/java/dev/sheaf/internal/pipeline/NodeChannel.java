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
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The live socket of one node connection, from activation to loss. It tells the {@link
 * NodePipeline} when and on which thread to write, and counts what is in flight.
 *
 * <p>All state is confined to the event loop of the channel. A reconnect creates a new object, so
 * that counts of the lost socket cannot spoil those of the new one.
 */
final class NodeChannel extends ChannelDuplexHandler implements Socket, Flight.Carrier {

  /** The node connection that owns a socket. */
  interface Node {
    /** Called when a flight has been answered. On the event loop. */
    void answered(NodeChannel socket);

    /** Called after each delivered reply of a flight. On the event loop. */
    void delivered();

    /** Called when the socket is writable again. */
    void resume();

    /** Explains why commands are late. */
    CommandExpiry.Reasons reasons();

    /** Closes sockets that do not recover. */
    Healer healer();

    /** The reply activity of the connection, for the availability guard. */
    ReplyActivity replyActivity();

    /** The spans of the commands; null without tracing. */
    @Nullable NodeSpans spans();

    /** The observer of flights; null if there is none. */
    @Nullable ReplyActivity listener();

    /** Called when all replies of a flight have been read; the last command had this output. */
    void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last);

    /** The time-out of a command, in nanoseconds. */
    long timeoutNanos(RedisCommand<?, ?, ?> command);
  }

  /** Listens for sockets that open and close. */
  interface Lifecycle {
    /** Called on the event loop when the socket can be used. */
    void opened(NodeChannel socket);

    /** Called on the event loop when the socket can no longer be used. */
    void lost(NodeChannel socket);
  }

  private final Node node;
  private final Lifecycle lifecycle;
  private final Channel channel;

  /** Whether its command handler reads several replies for a flight. */
  private final boolean readsFlights;

  /** The event loop if callers can drive it, else null. */
  private final @Nullable DrivenEventLoop loop;

  /** The flights that await replies, in the order they were sent. */
  private final Deque<Flight> outstanding = new ArrayDeque<>();

  private final BatchTiming timing = new BatchTiming();
  private int inFlightCommands;
  private long inFlightBytes;
  private int inFlightCallbacks;

  /** Whether only the keeper may run the event loop: during the handshake or a transaction. */
  private boolean holding;

  private boolean lost;

  /** When data was last read, by System.nanoTime. Set lazily; read by any thread. */
  private final AtomicLong heardNanos = new AtomicLong(System.nanoTime());

  /**
   * Whether the time of the current read has been recorded: one look at the clock for each read.
   */
  private boolean heard;

  private final SilenceWatch silence;

  /** Whether the silence watch is scheduled. */
  private boolean watched;

  /** Judges consecutive error replies; null if the last reply was no error. */
  private @Nullable Refusals refusals;

  private final WrittenCommands written;

  /** Lettuce's reconnect handler; null if there is none. */
  private volatile @Nullable ConnectionWatchdog watchdog;

  NodeChannel(Node node, Lifecycle lifecycle, Channel channel, boolean readsFlights) {
    this.node = node;
    this.lifecycle = lifecycle;
    this.channel = channel;
    this.readsFlights = readsFlights;
    this.loop = channel.eventLoop() instanceof DrivenEventLoop driven ? driven : null;
    ReplyActivity signs = node.replyActivity();
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

  /** Whether both sockets are connected to the same address. */
  boolean isToServerOf(NodeChannel other) {
    SocketAddress there = other.channel.remoteAddress();
    return there != null && isAt(there);
  }

  @Override
  public boolean isAt(SocketAddress other) {
    return other.equals(channel.remoteAddress());
  }

  /** Whether Lettuce has stopped reconnecting. */
  boolean isGivenUp() {
    ConnectionWatchdog reconnecting = watchdog;
    return reconnecting != null && reconnecting.isReconnectSuspended();
  }

  /** Handles the loss of the socket, once. On its event loop. */
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
   * Hands a task to the event loop of the socket, unless the current thread is that event loop or
   * the loop has ended. Returns whether it was handed on.
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
  public Lateness whyLate(RedisCommand<?, ?, ?> command) {
    Lateness why = written.findFlight(command);
    return why == null ? node.reasons().whyLate(command) : why;
  }

  @Override
  public void timedOut(Lateness why, int commands) {
    node.reasons().timedOut(why, commands);
  }

  /** Explains why a command has no reply; null if it was not sent on this socket. Any thread. */
  @Nullable Lateness find(RedisCommand<?, ?, ?> command) {
    return written.find(command);
  }

  /** When data was last read, by System.nanoTime. Any thread. */
  long heardNanos() {
    return heardNanos.get();
  }

  /** Whether the socket is writable. {@link Node#resume} tells when it is again. */
  boolean isWritable() {
    return channel.isWritable();
  }

  List<Flight> outstanding() {
    return List.copyOf(outstanding);
  }

  /** Decides whether batches leave amid replies. */
  BatchTiming timing() {
    return timing;
  }

  int inFlightCommands() {
    return inFlightCommands;
  }

  @Override
  public long inFlightBytes() {
    return inFlightBytes;
  }

  /** The event loop of the socket if callers can drive it, else null. */
  @Nullable DrivenEventLoop loop() {
    return loop;
  }

  /** From now on only the keeper may run the event loop. On the event loop. */
  void hold() {
    if (loop != null && !holding) {
      holding = true;
      loop.hold();
    }
  }

  /** Lets callers drive the event loop again. On the event loop. */
  void endHold() {
    if (loop != null && holding) {
      holding = false;
      loop.release();
    }
  }

  boolean readsFlights() {
    return readsFlights;
  }

  /** Counts a flight that is about to be sent. */
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

  @Override
  public void unwritten(Flight flight, IOException failure) {
    try {
      execute(
          () -> {
            if (lost) {
              flight.fail(failure);
            } else {
              channel.close();
            }
          });
    } catch (RejectedExecutionException shutDown) {
      flight.fail(failure);
    }
  }

  /** Called once for each answered flight, as Lettuce completes it once, on the event loop. */
  @Override
  public void answered(Flight flight) {
    long now = System.nanoTime();
    heard(now);
    timing.observe(now - flight.sentNanos());
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

  /** Records the time of the current read. */
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
    node.arrived(flight, last);
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

  /**
   * Decides whether the next batch leaves amid the replies that the event loop delivers, by how
   * long round trips take.
   *
   * <p>Confined to the event loop.
   */
  static final class BatchTiming {

    /** From this round trip on the server is far: about the time to wake a few dozen callers. */
    private static final long FAR_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    private static final int WINDOW = 256;

    private long shortest = Long.MAX_VALUE;
    private long shortestBefore = Long.MAX_VALUE;
    private int observed;

    /**
     * Decides by the shortest round trip, which depends on the distance and not on the load. Before
     * the first reply the server counts as far.
     *
     * @return true if the server is so far away that the network needs the batch at once; false if
     *     the batch leaves after the replies, when more callers have added to it
     */
    boolean decide() {
      return Math.min(shortest, shortestBefore) >= FAR_NANOS;
    }

    /** Called when a flight was answered, so many nanoseconds after it left. */
    void observe(long nanos) {
      shortest = Math.min(shortest, nanos);
      if (++observed == WINDOW) {
        observed = 0;
        shortestBefore = shortest;
        shortest = Long.MAX_VALUE;
      }
    }
  }
}
