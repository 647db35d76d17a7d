package dev.sheaf.internal.pipeline;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.Endpoint;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.io.IOException;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's reader of replies, taught that a {@link Flight} has several. It uses the decoding hooks
 * that Lettuce has for subclasses, as its own pub/sub handler does.
 */
final class FlightHandler extends CommandHandler {

  /** The view of the socket; set before anything is read. */
  private @Nullable NodeChannel channel;

  FlightHandler(ClientOptions options, ClientResources resources, Endpoint endpoint) {
    super(options, resources, endpoint);
  }

  /** Says which socket it reads. */
  void reads(NodeChannel socket) {
    channel = socket;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) throws Exception {
    super.channelReadComplete(context);
    if (getStack().isEmpty()) {
      NodeChannel socket = context.pipeline().get(NodeChannel.class);
      if (socket != null) {
        socket.endHold();
      }
    }
  }

  @Override
  protected boolean decode(
      ByteBuf buffer, RedisCommand<?, ?, ?> command, CommandOutput<?, ?, ?> output) {
    Flight flight = Flight.in(command);
    // A value that cannot be decoded is the failure of one part, not of all.
    boolean complete = super.decode(buffer, flight == null ? command : flight.current(), output);
    if (!complete && flight != null) {
      flight.begunToAnswer();
    }
    return complete;
  }

  @Override
  protected boolean canComplete(RedisCommand<?, ?, ?> command) {
    Flight flight = Flight.in(command);
    if (flight != null) {
      return flight.advance();
    }
    if (channel != null) {
      channel.replied(command.getOutput());
    }
    return true;
  }

  /**
   * Lettuce sends again, after a reconnect, what awaits a reply now and is not done. Of what
   * travels alone, only what is safe may be; flights are ended by the pipeline, which does not see
   * the rest.
   */
  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    Replay.failUnsafe(new ArrayList<>(getStack()));
    NodeChannel socket = context.pipeline().get(NodeChannel.class);
    if (socket != null) {
      // Ends the flights, which Lettuce would write again at once if it had another socket already.
      socket.lose();
    }
    super.channelInactive(context);
  }

  /** Lettuce makes a broken socket the failure of the oldest command; it is a lost connection. */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
    if (cause instanceof IOException && context.channel().isOpen() && !getStack().isEmpty()) {
      context.close();
    } else {
      super.exceptionCaught(context, cause);
    }
  }
}
