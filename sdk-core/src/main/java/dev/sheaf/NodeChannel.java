package dev.sheaf;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

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
  private int inFlightCommands;

  NodeChannel(CoalescingWriter writer, Channel channel) {
    this.writer = writer;
    this.channel = channel;
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

  void sent(int commands) {
    inFlightCommands += commands;
  }

  /** Counts replies. Lettuce completes each command it pops for a reply once, on the event loop. */
  void answered(int commands) {
    inFlightCommands -= commands;
    writer.answered(this);
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
