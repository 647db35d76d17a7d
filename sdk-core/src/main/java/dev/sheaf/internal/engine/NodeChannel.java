package dev.sheaf.internal.engine;

import dev.sheaf.internal.command.Outgoing;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The live socket of one node connection, from activation to loss: tells the {@link NodePipeline}
 * when and on which thread it may write.
 *
 * <p>All state is confined to the event loop of the channel; to a caller that has taken the {@link
 * Shortcut}, nothing is under way. After a reconnect there is a new object, so that what was
 * counted on the lost socket cannot spoil the count on the new one.
 */
final class NodeChannel extends ChannelDuplexHandler {

  private final NodePipeline pipeline;
  private final SocketTurns turns;
  private final Channel channel;
  private final boolean readsFlights;

  /** What awaits replies, in the order in which it was written. */
  private final Deque<Flight> outstanding = new ArrayDeque<>();

  private final RoundTripGauge roundTrips = new RoundTripGauge();
  private int inFlightCommands;
  private long inFlightBytes;
  private int answeredCommands;
  private boolean lost;

  /** For a caller who is alone; null if there is none past this event loop. */
  private volatile @Nullable Shortcut shortcut;

  /**
   * Creates the view of a socket.
   *
   * @param readsFlights whether its reader of replies knows that a flight has several
   */
  NodeChannel(NodePipeline pipeline, SocketTurns turns, Channel channel, boolean readsFlights) {
    this.pipeline = pipeline;
    this.turns = turns;
    this.channel = channel;
    this.readsFlights = readsFlights;
  }

  /**
   * Runs a task on the thread that owns the socket.
   *
   * @throws RejectedExecutionException if the client was shut down
   */
  void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  /** Closes the socket, soon. Safe for any thread. */
  void close() {
    channel.close();
  }

  /** Takes note, the first time, that the socket is lost. On its event loop. */
  void lose() {
    if (!lost) {
      lost = true;
      Flight written = shortcut == null ? null : shortcut.close();
      if (written != null) {
        // To be decided about with the others; Lettuce must not write it anywhere else.
        count(written);
      }
      turns.lost(this);
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

  /** How many commands were answered since this was asked last. */
  int takeAnswered() {
    int answered = answeredCommands;
    answeredCommands = 0;
    return answered;
  }

  long inFlightBytes() {
    return inFlightBytes;
  }

  /** Whether replies come from so far that a good deal can be done until then. */
  boolean isFar() {
    return roundTrips.isFar();
  }

  /** The way past the event loop, if the current thread has just entered it; else null. */
  @Nullable Shortcut enterShortcut() {
    Shortcut way = shortcut;
    return way != null && way.tryEnter() ? way : null;
  }

  /** Lets a caller who is alone write for himself, if nothing is under way. On the event loop. */
  void openShortcut() {
    Shortcut way = shortcut;
    if (way != null && inFlightCommands == 0) {
      // Whoever comes next finds no others that are about to come back.
      answeredCommands = 0;
      way.open();
    }
  }

  /** Makes known to Lettuce what a caller has written for himself. On the event loop. */
  void closeShortcut() {
    Shortcut way = shortcut;
    Flight written = way == null ? null : way.close();
    if (written != null) {
      count(written);
      // On a dead socket it is counted as lost, soon, which is more than Lettuce could say of it.
      if (channel.isActive() && !pipeline.showWritten(written)) {
        // Its replies would be taken for those of others.
        close();
      }
    }
  }

  /** As {@link #closeShortcut}, for any thread, if somebody has written and no reply has come. */
  void closeShortcutIfWritten() {
    Shortcut way = shortcut;
    if (way != null && way.isWritten()) {
      wake();
    }
  }

  /** Has the event loop look at what a caller has written, of which there may be a rest. */
  void wake() {
    try {
      execute(this::closeShortcut);
    } catch (RejectedExecutionException shutDown) {
      // Then the socket is lost, and that tells of it.
    }
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
      if (command instanceof Outgoing<?, ?, ?> outgoing && outgoing.travelsAlone()) {
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

  /** The usual case of a lone caller. */
  private RedisCommand<?, ?, ?> boardAlone(RedisCommand<?, ?, ?> command) {
    return command instanceof Outgoing<?, ?, ?> outgoing && outgoing.travelsAlone()
        ? command
        : flight(List.of(command));
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
    Flight flight = Flight.of(parts, this);
    count(flight);
    return flight;
  }

  private void count(Flight flight) {
    inFlightCommands += flight.commands();
    inFlightBytes += flight.bytes();
    outstanding.add(flight);
    pipeline.signsOfLife().departed(flight, flight.sentNanos());
  }

  /**
   * Counts replies. Lettuce completes each flight it has read to its end once, on the event loop.
   */
  void answered(Flight flight, int commands, long bytes, long sentNanos) {
    roundTrips.observe(System.nanoTime() - sentNanos);
    // Replies come in order, so it is the first one.
    outstanding.remove(flight);
    inFlightCommands -= commands;
    answeredCommands += commands;
    inFlightBytes -= bytes;
    pipeline.answered(this);
  }

  /** Notes that a part of a flight was answered. */
  void delivered() {
    pipeline.delivered();
  }

  /** Notes that the replies to a flight were read, of which this is the last. */
  void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last) {
    pipeline.signsOfLife().arrived(flight, last);
  }

  /** Whoever writes, and be it Lettuce for itself, comes after what a caller has written. */
  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    closeShortcut();
    context.write(message, promise);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    shortcut = Shortcut.past(channel);
    turns.opened(this);
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
