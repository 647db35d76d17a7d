// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import dev.sheaf.embedded.internal.protocol.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The end of a connection that a client in this JVM holds: first in the client's pipeline, it hands
 * bytes to the server's end and takes replies from there. The socket below stays connected and
 * silent; it carries what a connection is beside its bytes: that it opens, that it ends, and its
 * two addresses. It takes itself out of all other connections, those on another event loop than the
 * server's included: between two threads the kernel is as fast. Confined to that event loop, so
 * bytes are handed over by calls.
 */
final class Shortcut extends ChannelDuplexHandler {
  /** The end of the connection that runs commands. */
  interface Server {
    /** From now on bytes go to and fro within this JVM; the socket has had none. */
    void shortcut(Shortcut end);

    /** Reads once from a client in this JVM, unless it has to wait. */
    void takeFromShortcut();

    /** Goes on where it waited for the client to read. */
    void resume();
  }

  /**
   * Replies handed to the client in a row, before other tasks of its event loop have their turn.
   */
  private static final int MAX_READS = 64;

  /** The bit of the writability that stands for bytes the server has not taken. */
  private static final int WRITABILITY_INDEX = 1;

  private final Shortcuts server;
  private final Queue<ByteBuf> toServer = new ArrayDeque<>();
  private final Queue<ByteBuf> toClient = new ArrayDeque<>();
  private long bytesToServer;
  private long bytesToClient;
  private boolean serverWaits;
  private boolean clientWaits;
  private boolean clientCalled;
  private boolean closed;
  private @Nullable Server connection;
  private List<ByteBuf> unflushed = new ArrayList<>();
  private List<ChannelPromise> promises = new ArrayList<>();
  private @Nullable ChannelHandlerContext context;
  private long ends;
  private boolean joined;
  private boolean delivering;
  private boolean readAsked;

  Shortcut(Shortcuts server) {
    this.server = server;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    Channel channel = ctx.channel();
    if (channel.remoteAddress() instanceof InetSocketAddress to
        && channel.localAddress() instanceof InetSocketAddress from
        && channel.eventLoop() == server.loop
        && server.serves(to)) {
      joined = true;
      ends = Shortcuts.ports(to.getPort(), from.getPort());
      server.join(ends, this);
    } else {
      channel.pipeline().remove(this);
    }
    ctx.fireChannelActive();
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (!joined) {
      ctx.write(message, promise);
    } else if (closed) {
      ReferenceCountUtil.release(message);
      promise.tryFailure(new ClosedChannelException());
    } else if (message instanceof ByteBuf bytes) {
      unflushed.add(bytes);
      promises.add(promise);
    } else {
      ReferenceCountUtil.release(message);
      promise.tryFailure(
          new IllegalArgumentException("only bytes can be sent, not a " + message.getClass()));
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    if (!joined) {
      ctx.flush();
      return;
    }
    if (unflushed.isEmpty()) {
      return;
    }
    List<ByteBuf> bytes = unflushed;
    List<ChannelPromise> written = promises;
    unflushed = new ArrayList<>();
    promises = new ArrayList<>();
    for (ByteBuf part : bytes) {
      bytesToServer += part.readableBytes();
      toServer.add(part);
    }
    written.forEach(ChannelPromise::trySuccess);
    callServer();
    if (bytesToServer > ctx.channel().config().getWriteBufferHighWaterMark()) {
      clientWaits = true;
      writable(false);
      serverHasTaken();
    }
  }

  private void callServer() {
    if (connection != null) {
      server.lingering.called();
      connection.takeFromShortcut();
      server.lingering.served();
    }
  }

  private void writable(boolean yes) {
    ChannelHandlerContext ctx = context;
    ChannelOutboundBuffer buffer = ctx == null ? null : ctx.channel().unsafe().outboundBuffer();
    if (buffer != null) {
      buffer.setUserDefinedWritability(WRITABILITY_INDEX, yes);
    }
  }

  /** Lets a client go on that has written more than the server had taken. */
  private void serverHasTaken() {
    ChannelHandlerContext ctx = context;
    if (clientWaits
        && ctx != null
        && bytesToServer <= ctx.channel().config().getWriteBufferLowWaterMark()) {
      clientWaits = false;
      writable(true);
    }
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    readAsked = true;
    ctx.read();
    if (!toClient.isEmpty() && !delivering) {
      callClient();
    }
  }

  private void callClient() {
    if (!clientCalled) {
      clientCalled = true;
      server.loop.execute(this::deliver);
    }
  }

  private void deliver() {
    clientCalled = false;
    ChannelHandlerContext ctx = context;
    if (delivering || ctx == null || closed) {
      return;
    }
    delivering = true;
    int reads = 0;
    try {
      while (reads < MAX_READS && (readAsked || ctx.channel().config().isAutoRead())) {
        ByteBuf bytes = toClient.poll();
        if (bytes == null) {
          break;
        }
        readAsked = false;
        reads++;
        hand(ctx, bytes);
      }
    } finally {
      delivering = false;
    }
    if (reads > 0) {
      ctx.fireChannelReadComplete();
    }
    if (reads == MAX_READS) {
      callClient();
    }
  }

  private void hand(ChannelHandlerContext ctx, ByteBuf bytes) {
    bytesToClient -= bytes.readableBytes();
    ctx.fireChannelRead(bytes);
    if (serverWaits && bytesToClient <= Limits.LOW_WATER && connection != null) {
      serverWaits = false;
      connection.resume();
    }
  }

  /** What the server has written comes first, as it does on a socket. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    boolean any = false;
    for (ByteBuf bytes = toClient.poll(); bytes != null; bytes = toClient.poll()) {
      any = true;
      hand(ctx, bytes);
    }
    if (any) {
      ctx.fireChannelReadComplete();
    }
    end();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    end();
  }

  private void end() {
    if (closed) {
      return;
    }
    closed = true;
    unflushed.forEach(ByteBuf::release);
    promises.forEach(promise -> promise.tryFailure(new ClosedChannelException()));
    unflushed = new ArrayList<>();
    promises = new ArrayList<>();
    drop(toClient);
    if (joined) {
      server.leave(ends, this);
    }
  }

  private static void drop(Queue<ByteBuf> queue) {
    for (ByteBuf bytes = queue.poll(); bytes != null; bytes = queue.poll()) {
      bytes.release();
    }
  }

  // What follows is the server's side.

  /** The server's end has come; what the client has sent meanwhile waits here. */
  void connected(@Nullable Server end) {
    connection = end;
    if (end == null) {
      drop(toServer);
    } else if (!toServer.isEmpty()) {
      end.takeFromShortcut();
    }
  }

  @Nullable ByteBuf takeFromClient() {
    ByteBuf bytes = toServer.poll();
    if (bytes != null) {
      bytesToServer -= bytes.readableBytes();
      serverHasTaken();
    }
    return bytes;
  }

  boolean hasFromClient() {
    return !toServer.isEmpty();
  }

  /** Adds to what {@link #flushToClient} hands over; takes the bytes over. */
  void writeToClient(ByteBuf bytes) {
    if (closed) {
      bytes.release();
      return;
    }
    bytesToClient += bytes.readableBytes();
    toClient.add(bytes);
  }

  void flushToClient() {
    if (!toClient.isEmpty()) {
      deliver();
    }
  }

  long unreadByClient() {
    return bytesToClient;
  }

  /** Whether the client has read enough; if not, the connection is resumed once it has. */
  boolean isClientReading() {
    serverWaits |= bytesToClient >= Limits.HIGH_WATER;
    return bytesToClient < Limits.HIGH_WATER;
  }
}
