package dev.sheaf;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The live socket of one node connection, from activation to loss: tells the {@link
 * CoalescingWriter} when and on which thread it may write.
 *
 * <p>All state is confined to the event loop of the channel. After a reconnect there is a new
 * object, so that what was counted on the lost socket cannot spoil the count on the new one.
 */
final class NodeChannel extends ChannelInboundHandlerAdapter {

  private final CoalescingWriter writer;
  private final Channel channel;
  private final boolean readsFlights;
  private int inFlightCommands;

  /**
   * Creates the view of a socket.
   *
   * @param readsFlights whether its reader of replies knows that a flight has several
   */
  NodeChannel(CoalescingWriter writer, Channel channel, boolean readsFlights) {
    this.writer = writer;
    this.channel = channel;
    this.readsFlights = readsFlights;
  }

  /**
   * Runs a task on the thread that owns the socket.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the client was shut down
   */
  void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  boolean inEventLoop() {
    return channel.eventLoop().inEventLoop();
  }

  /** Whether the socket takes more bytes now. When it does again, the writer is told. */
  boolean isWritable() {
    return channel.isWritable();
  }

  int inFlightCommands() {
    return inFlightCommands;
  }

  /**
   * Makes flights of commands that are about to be written here, in their order, and counts them.
   */
  List<RedisCommand<?, ?, ?>> board(List<RedisCommand<?, ?, ?>> commands) {
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

  private List<RedisCommand<?, ?, ?>> takeOff(
      List<RedisCommand<?, ?, ?>> parts, List<RedisCommand<?, ?, ?>> boarded) {
    if (parts.isEmpty()) {
      return parts;
    }
    int commands = 0;
    for (RedisCommand<?, ?, ?> part : parts) {
      commands += part instanceof FusedGet fused ? fused.size() : 1;
    }
    inFlightCommands += commands;
    Flight flight = new Flight(parts, commands, this);
    writer.signsOfLife().departed(flight);
    boarded.add(flight);
    return new ArrayList<>(1);
  }

  /**
   * Counts replies. Lettuce completes each flight it has read to its end once, on the event loop.
   */
  void answered(int commands) {
    inFlightCommands -= commands;
    writer.answered(this);
  }

  /** Notes that the replies to a flight were read, of which this is the last. */
  void arrived(Flight flight, @Nullable CommandOutput<?, ?, ?> last) {
    writer.signsOfLife().arrived(flight, last);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    writer.attach(this);
    context.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    writer.detach(this);
    context.fireChannelInactive();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    if (channel.isWritable()) {
      writer.resume();
    }
    context.fireChannelWritabilityChanged();
  }
}
