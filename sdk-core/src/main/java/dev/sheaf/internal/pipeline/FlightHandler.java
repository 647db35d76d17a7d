// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.command.EncodedCommand;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.observe.CommandSpans;
import dev.sheaf.internal.observe.NodeSpans;
import dev.sheaf.internal.observe.ResourcesView;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.api.push.PushMessage;
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
 * Lettuce's command handler, extended to read several replies for a {@link Flight}. It uses the
 * decoding hooks that Lettuce offers to subclasses, as its own pub/sub handler does.
 */
final class FlightHandler extends CommandHandler {

  /** The socket; set before anything is read. */
  private @Nullable NodeChannel channel;

  /** Starts spans for commands that Lettuce sends by itself; null without tracing. */
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

  /** For a socket of that writer. Lettuce's own tracing and measuring, per flight, is off. */
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

  /** Starts a span, unless the command has had one since it was called. */
  private static void trace(
      ChannelHandlerContext context, RedisCommand<?, ?, ?> command, CommandSpans spans) {
    if (Flight.in(command) == null && EncodedCommand.in(command) == null) {
      spans.begin(command, spans.endpoint(context.channel().remoteAddress()));
    }
  }

  /** Sets the socket. */
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
    // A value that cannot be decoded fails one part, not the flight.
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
   * Runs the application's listeners on the event loop's own thread, and not on that of a caller
   * that drives.
   */
  @Override
  protected void notifyPushListeners(PushMessage message) {
    DrivenEventLoop loop = channel == null ? null : channel.loop();
    if (loop == null || getEndpoint().getPushListeners().isEmpty()) {
      super.notifyPushListeners(message);
    } else {
      loop.runOnKeeper(() -> super.notifyPushListeners(message));
    }
  }

  /**
   * Fails commands that must not be sent again. After a reconnect, Lettuce sends all commands again
   * that await a reply and are not done. The pipeline handles flights, but not the other commands.
   */
  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    Replay.failUnsafe(new ArrayList<>(getStack()));
    NodeChannel socket = context.pipeline().get(NodeChannel.class);
    if (socket != null) {
      // Ends the flights first: Lettuce would send them again if it had another socket already.
      socket.lose();
    }
    super.channelInactive(context);
  }

  /**
   * Treats a broken socket as a lost connection; Lettuce would only fail the oldest command. Even
   * if the socket is closed already: it is about to become inactive.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
    if (cause instanceof IOException && !getStack().isEmpty()) {
      context.close();
    } else {
      super.exceptionCaught(context, cause);
    }
  }
}
