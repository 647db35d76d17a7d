// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.observe.CommandSpans;
import dev.sheaf.internal.observe.NodeSpans;
import dev.sheaf.internal.observe.ResourcesView;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.Endpoint;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.tracing.Tracing;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lettuce's reader of replies, taught that a {@link Flight} has several. It uses the decoding hooks
 * that Lettuce has for subclasses, as its own pub/sub handler does.
 */
final class FlightHandler extends CommandHandler {

  /** The view of the socket; set before anything is read. */
  private @Nullable NodeChannel channel;

  /** What begins the spans of commands that Lettuce writes by itself; null if nothing does. */
  private final @Nullable CommandSpans spans;

  private final boolean measured;

  private FlightHandler(
      ClientOptions options,
      ClientResources resources,
      Endpoint endpoint,
      @Nullable CommandSpans spans) {
    super(options, resources, endpoint);
    this.spans = spans;
    this.measured = resources.commandLatencyRecorder().isEnabled();
  }

  /** For a socket of that writer. Lettuce's own part of it neither traces nor measures flights. */
  static FlightHandler of(ClientOptions options, NodeWriter writer, Endpoint endpoint) {
    ClientResources resources = writer.getClientResources();
    NodeSpans spans = writer.pipeline().spans();
    return new FlightHandler(
        options,
        ResourcesView.of(
            resources,
            Map.of(
                "tracing",
                Tracing.disabled(),
                "commandLatencyRecorder",
                new FlightLatency(resources.commandLatencyRecorder()))),
        endpoint,
        spans == null ? null : spans.commands());
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    if (spans != null) {
      if (message instanceof RedisCommand<?, ?, ?> command) {
        trace(context, command, spans);
      } else if (message instanceof Collection<?> commands) {
        for (Object command : commands) {
          trace(context, (RedisCommand<?, ?, ?>) command, spans);
        }
      }
    }
    super.write(context, message, promise);
  }

  /** Begins a span, unless there is one since the command was called. */
  private static void trace(
      ChannelHandlerContext context, RedisCommand<?, ?, ?> command, CommandSpans spans) {
    if (Flight.in(command) == null && EncodedCommand.in(command) == null) {
      spans.begin(command, spans.endpoint(context.channel().remoteAddress()));
    }
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
    if (measured && flight != null) {
      flight.replyBegins();
    }
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
