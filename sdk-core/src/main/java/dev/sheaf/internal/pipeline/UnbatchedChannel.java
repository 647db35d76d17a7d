// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import dev.sheaf.internal.lettuce.DrivenEventLoop;
import io.lettuce.core.protocol.CommandHandler;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * The live socket of a connection without a {@link NodePipeline}. Its commands complete futures of
 * the application, so they must not end on the thread of a blocking caller. The socket reserves the
 * event loop for the keeper while it is being opened and while commands are in flight.
 *
 * <p>Each connection to a cluster has one such socket, for the commands without keys. Messages of
 * pub/sub come unasked, so a socket for these reserves the loop as long as it is open.
 *
 * <p>Confined to the event loop of the channel.
 */
final class UnbatchedChannel extends ChannelDuplexHandler {

  private final DrivenEventLoop loop;
  private final CommandHandler commands;

  /** Whether Lettuce's handshake is over and no messages are expected. */
  private boolean opened;

  private boolean closed;

  /** How many writes have not ended. Lettuce counts their commands as sent when they have. */
  private int unwritten;

  /** How many of them wait for the keeper. */
  private int deferred;

  private boolean holding;

  /**
   * Reserves the event loop. On the event loop.
   *
   * @param commands the handler that knows the commands in flight
   */
  UnbatchedChannel(DrivenEventLoop loop, CommandHandler commands) {
    this.loop = loop;
    this.commands = commands;
    update();
  }

  /** Reserves the event loop, or lets callers drive it, as the socket requires now. */
  private void update() {
    boolean busy = !closed && (!opened || unwritten > 0 || !commands.getStack().isEmpty());
    if (busy && !holding) {
      loop.hold();
    } else if (!busy && holding) {
      loop.release();
    }
    holding = busy;
  }

  /** Called when the socket is closed. */
  void close() {
    closed = true;
    update();
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    opened = commands.getClass() == CommandHandler.class;
    update();
    context.fireChannelActive();
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    unwritten++;
    update();
    if (deferred > 0 || loop.isDriven()) {
      deferred++;
      defer(context, message, promise);
    } else {
      writeNow(context, message, promise);
    }
  }

  /** The driver leaves the loop after this turn, and the keeper runs the task in the next one. */
  private void defer(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    loop.execute(
        () -> {
          if (loop.isDriven()) {
            defer(context, message, promise);
          } else {
            deferred--;
            writeNow(context, message, promise);
            context.flush();
          }
        });
  }

  private void writeNow(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    ChannelPromise ended = promise.unvoid();
    context.write(message, ended);
    // Behind the listener with which Lettuce counts the commands as sent.
    ended.addListener(
        written -> {
          unwritten--;
          update();
        });
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    update();
    context.fireChannelReadComplete();
  }
}
