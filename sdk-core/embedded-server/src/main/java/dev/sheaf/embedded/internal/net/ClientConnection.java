// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import dev.sheaf.embedded.internal.command.Dispatcher;
import dev.sheaf.embedded.internal.command.ScriptFlags;
import dev.sheaf.embedded.internal.data.Bytes;
import dev.sheaf.embedded.internal.node.Client;
import dev.sheaf.embedded.internal.node.Connection;
import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.BufferPool;
import dev.sheaf.embedded.internal.protocol.Command;
import dev.sheaf.embedded.internal.protocol.Limits;
import dev.sheaf.embedded.internal.protocol.ProtocolException;
import dev.sheaf.embedded.internal.protocol.Reply;
import dev.sheaf.embedded.internal.protocol.RequestDecoder;
import dev.sheaf.embedded.internal.protocol.RespWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One socket: reads bytes, runs requests and writes replies. Stops running requests while the
 * client is blocked or does not read its replies.
 */
final class ClientConnection extends ChannelInboundHandlerAdapter
    implements Connection, Flushes.Sender {
  private static final System.Logger LOG = System.getLogger(ClientConnection.class.getName());

  private final ServerNode node;
  private final Flushes flushes;
  private final Channel channel;
  private final boolean unixSocket;
  private final RequestDecoder decoder;
  private final RespWriter writer;
  private final Client client;
  private boolean running;
  private byte @Nullable [][] held;
  private boolean delayed;
  private boolean delayServed;
  private long sentSinceCutRule;
  private boolean cut;

  ClientConnection(
      ServerNode node, Flushes flushes, BufferPool pool, Channel channel, boolean unixSocket) {
    this.node = node;
    this.flushes = flushes;
    this.channel = channel;
    this.unixSocket = unixSocket;
    this.decoder = new RequestDecoder(pool);
    this.writer = new RespWriter(pool, node.edition(), () -> flushes.add(this), this::send);
    this.client = node.connect(this);
  }

  private void send(ByteBuf bytes) {
    if (cut) {
      return;
    }
    int room = roomBeforeCut(bytes.readableBytes());
    if (room < bytes.readableBytes()) {
      bytes.writerIndex(bytes.readerIndex() + room);
      cut = true;
    }
    int length = bytes.readableBytes();
    node.counters.bytesOut += length;
    // The scratch array behind a short buffer is reused at once, so its bytes are copied to direct
    // memory, which the socket needs anyway.
    ByteBuf out =
        bytes.array().length == BufferPool.SIZE
            ? channel.alloc().directBuffer(length).writeBytes(bytes)
            : bytes;
    channel.write(out, channel.voidPromise());
  }

  /** Returns how many bytes are still sent under the fault that cuts connections. */
  private int roomBeforeCut(int length) {
    long most = node.faults.cutAfterBytes;
    if (most < 0) {
      sentSinceCutRule = 0;
      return length;
    }
    long room = Math.min(length, most - sentSinceCutRule);
    sentSinceCutRule += room;
    return (int) room;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      node.counters.bytesIn += in.readableBytes();
      decoder.feed(in);
    } finally {
      in.release();
    }
    if (run() > 0) {
      node.counters.readBatches++;
    }
  }

  /** Runs the requests that have arrived, as far as possible. Returns their number. */
  private int run() {
    if (running) {
      return 0;
    }
    running = true;
    int requests = 0;
    try {
      while (mayRun()) {
        decoder.trusted(client.authenticated);
        byte[][] request = held == null ? decoder.next() : held;
        held = null;
        if (request == null || waits(request)) {
          held = request;
          break;
        }
        if (isOfABrowser(request)) {
          refuseBrowser();
          break;
        }
        requests++;
        Dispatcher.execute(node, client, request);
      }
    } catch (ProtocolException e) {
      writer.error(String.valueOf(e.getMessage()));
      closeAfterReplies();
    } finally {
      running = false;
    }
    decoder.rest();
    boolean read =
        channel.isWritable()
            && !node.isFrozen()
            && decoder.pendingBytes() < Limits.MAX_PENDING_INPUT;
    if (channel.config().isAutoRead() != read) {
      channel.config().setAutoRead(read);
    }
    return requests;
  }

  /** A web page can make a browser send commands here in the body of a request. */
  private static boolean isOfABrowser(byte[][] request) {
    return Bytes.is(request[0], "POST") || Bytes.is(request[0], "HOST:");
  }

  private void refuseBrowser() {
    LOG.log(
        System.Logger.Level.WARNING,
        "closing {0}: it sends lines of HTTP, as a web page does that wants to run commands here",
        remoteAddress());
    close();
  }

  private boolean mayRun() {
    return client.blocked == null
        && !client.isClosing()
        && !delayed
        && !node.isFrozen()
        && channel.isWritable();
  }

  /** Returns whether a pause or a fault delays the request. */
  private boolean waits(byte[][] request) {
    if (!node.pause.isOn() && !node.faults.isArmed()) {
      delayServed = false;
      return false;
    }
    Command command = Dispatcher.peek(node, request);
    if (command == null || !command.accepts(request.length)) {
      return false;
    }
    boolean mayWrite = node.pause.isOn() && ScriptFlags.mayWrite(node, client, command, request);
    if (node.pause.holds(client, mayWrite)) {
      return true;
    }
    long nanos = delayServed ? 0 : node.faults.takeDelayNanos(command.name());
    delayServed = nanos > 0;
    if (nanos > 0) {
      delayed = true;
      channel.eventLoop().schedule(this::delayIsOver, nanos, TimeUnit.NANOSECONDS);
    }
    return nanos > 0;
  }

  private void delayIsOver() {
    delayed = false;
    run();
  }

  @Override
  public void flush() {
    writer.drain();
    channel.flush();
    if (client.isClosing() || cut) {
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    } else if ((client.isSubscriber() || node.monitors.contains(client))
        && pendingOutput() > Limits.MAX_SUBSCRIBER_OUTPUT) {
      LOG.log(
          System.Logger.Level.WARNING,
          "closing subscriber {0}: {1} bytes of messages unread, limit {2}",
          remoteAddress(),
          pendingOutput(),
          Limits.MAX_SUBSCRIBER_OUTPUT);
      channel.close();
    }
  }

  private long pendingOutput() {
    var pending = channel.unsafe().outboundBuffer();
    return pending == null ? 0 : pending.totalPendingWriteBytes();
  }

  /** The client sends nothing more. As Redis does, the server sends its replies and closes. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      flush();
      close();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (channel.isWritable()) {
      resume();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    client.closing();
    node.disconnect(client);
    writer.discard();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)) {
      LOG.log(System.Logger.Level.ERROR, "connection " + remoteAddress() + " failed", cause);
    }
    channel.close();
  }

  @Override
  public Reply reply() {
    return writer;
  }

  @Override
  public void protocol(int version) {
    writer.protocol(version);
  }

  @Override
  public void closeAfterReplies() {
    client.closing();
    flushes.add(this);
  }

  @Override
  public void close() {
    client.closing();
    channel.close();
  }

  @Override
  public void resume() {
    channel.eventLoop().execute(this::run);
  }

  @Override
  public String remoteAddress() {
    return unixSocket ? localAddress() : text(channel.remoteAddress());
  }

  @Override
  public String localAddress() {
    return unixSocket ? node.config.values.get("unixsocket") + ":0" : text(channel.localAddress());
  }

  private static String text(SocketAddress address) {
    return address instanceof InetSocketAddress inet
        ? inet.getHostString() + ":" + inet.getPort()
        : String.valueOf(address);
  }

  @Override
  public boolean isUnixSocket() {
    return unixSocket;
  }
}
