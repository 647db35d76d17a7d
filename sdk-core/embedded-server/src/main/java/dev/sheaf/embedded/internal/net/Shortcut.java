package dev.sheaf.embedded.internal.net;

import dev.sheaf.embedded.internal.protocol.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The end of a connection that a client in this JVM holds: first in the client's pipeline, it hands
 * bytes to the server's end and takes replies from there. The socket below stays connected and
 * silent; it carries what a connection is beside its bytes: that it opens, that it ends, and its
 * two addresses. It takes itself out of all other connections.
 *
 * <p>Client methods run on the client's event loop, server methods on the server's; both may be
 * one. Then bytes are handed over by calls, without another thread.
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
  private final Queue<ByteBuf> toServer = new ConcurrentLinkedQueue<>();
  private final Queue<ByteBuf> toClient = new ConcurrentLinkedQueue<>();
  private final AtomicLong bytesToServer = new AtomicLong();
  private final AtomicLong bytesToClient = new AtomicLong();
  private final AtomicBoolean serverCalled = new AtomicBoolean();
  private final AtomicBoolean clientCalled = new AtomicBoolean();
  private volatile boolean serverWaits;
  private volatile boolean clientWaits;
  private volatile boolean closed;

  // Confined to the server's event loop.
  private @Nullable Server connection;

  // Confined to the client's event loop.
  private List<ByteBuf> unflushed = new ArrayList<>();
  private List<ChannelPromise> promises = new ArrayList<>();
  private @Nullable ChannelHandlerContext context;
  private long ends;
  private boolean joined;
  private boolean oneLoop;
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
        && server.serves(to)) {
      joined = true;
      oneLoop = channel.eventLoop() == server.loop();
      ends = Shortcuts.ports(to.getPort(), from.getPort());
      onServerLoop(() -> server.join(ends, this));
    } else {
      channel.pipeline().remove(this);
    }
    ctx.fireChannelActive();
  }

  private void onServerLoop(Runnable work) {
    if (oneLoop) {
      work.run();
    } else {
      laterOnServerLoop(work);
    }
  }

  private boolean laterOnServerLoop(Runnable work) {
    return later(server.loop(), work);
  }

  /** False if the other end has ended its event loop, which the socket tells as well. */
  private static boolean later(EventLoop loop, Runnable work) {
    try {
      loop.execute(work);
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
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
      bytesToServer.addAndGet(part.readableBytes());
      toServer.add(part);
    }
    written.forEach(ChannelPromise::trySuccess);
    callServer();
    if (bytesToServer.get() > ctx.channel().config().getWriteBufferHighWaterMark()) {
      clientWaits = true;
      writable(false);
      serverHasTaken();
    }
  }

  private void callServer() {
    if (oneLoop) {
      takeOnServerLoop();
    } else if (serverCalled.compareAndSet(false, true)) {
      laterOnServerLoop(this::takeOnServerLoop);
    }
  }

  private void takeOnServerLoop() {
    serverCalled.set(false);
    if (connection == null) {
      return;
    }
    if (!oneLoop) {
      // The client's own event loop needs the core that lingering would take from it.
      connection.takeFromShortcut();
      return;
    }
    server.lingering().called();
    connection.takeFromShortcut();
    server.lingering().served();
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
        && bytesToServer.get() <= ctx.channel().config().getWriteBufferLowWaterMark()) {
      clientWaits = false;
      onClientLoop(ctx.channel().eventLoop(), () -> writable(true));
    }
  }

  private static void onClientLoop(EventLoop loop, Runnable work) {
    if (loop.inEventLoop()) {
      work.run();
    } else {
      later(loop, work);
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
    ChannelHandlerContext ctx = context;
    if (ctx != null && clientCalled.compareAndSet(false, true)) {
      later(ctx.channel().eventLoop(), this::deliver);
    }
  }

  private void deliver() {
    clientCalled.set(false);
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
    long left = bytesToClient.addAndGet(-bytes.readableBytes());
    ctx.fireChannelRead(bytes);
    if (serverWaits && left <= Limits.LOW_WATER) {
      serverWaits = false;
      laterOnServerLoop(this::resumeOnServerLoop);
    }
  }

  private void resumeOnServerLoop() {
    if (connection != null) {
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

  /** What the client has written comes first, as it does on a socket. */
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    boolean taking =
        joined
            && !oneLoop
            && !toServer.isEmpty()
            && laterOnServerLoop(
                () -> {
                  takeOnServerLoop();
                  later(ctx.channel().eventLoop(), () -> ctx.close(promise));
                });
    if (!taking) {
      ctx.close(promise);
    }
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
      onServerLoop(() -> server.leave(ends, this));
    }
    if (server.loop().isShuttingDown()) {
      drop(toServer);
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
      bytesToServer.addAndGet(-bytes.readableBytes());
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
    bytesToClient.addAndGet(bytes.readableBytes());
    toClient.add(bytes);
    if (closed) {
      drop(toClient);
    }
  }

  void flushToClient() {
    if (toClient.isEmpty()) {
      return;
    }
    if (oneLoop) {
      deliver();
    } else {
      callClient();
    }
  }

  long unreadByClient() {
    return bytesToClient.get();
  }

  /** Whether the client has read enough; if not, the connection is resumed once it has. */
  boolean isClientReading() {
    if (bytesToClient.get() < Limits.HIGH_WATER) {
      return true;
    }
    serverWaits = true;
    if (bytesToClient.get() > Limits.LOW_WATER) {
      return false;
    }
    serverWaits = false;
    return true;
  }
}
