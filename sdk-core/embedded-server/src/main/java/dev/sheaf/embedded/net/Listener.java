package dev.sheaf.embedded.net;

import dev.sheaf.embedded.node.ServerNode;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The sockets of all nodes of one server, and the one thread that serves them and runs commands.
 */
public final class Listener implements AutoCloseable {
  private static final int BACKLOG = 511;
  private static final int CLOSE_SECONDS = 5;

  private final EventLoopGroup group;
  private final Flushes flushes;
  private final BufferPool pool = new BufferPool();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final List<Path> socketFiles = new ArrayList<>();

  public Listener() {
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("sheaf-embedded", true), NioIoHandler.newFactory());
    flushes = new Flushes(group.next());
  }

  /** The thread that owns all data. */
  public ScheduledExecutorService thread() {
    return group.next();
  }

  /** Whether the caller is that thread. */
  public boolean isThread() {
    return group.next().inEventLoop();
  }

  /**
   * Opens a TCP port on the loopback address; port 0 takes a free one.
   *
   * @return the port
   * @throws IOException if the port is taken
   */
  public int listen(ServerNode node, int port) throws IOException {
    Channel channel =
        bind(node, NioServerSocketChannel.class, new InetSocketAddress("127.0.0.1", port), false);
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /**
   * Opens a Unix socket. A file left behind by a process that has gone is replaced.
   *
   * @throws IOException if the path cannot be bound
   */
  public void listen(ServerNode node, Path path) throws IOException {
    Files.deleteIfExists(path);
    bind(node, NioServerDomainSocketChannel.class, UnixDomainSocketAddress.of(path), true);
    socketFiles.add(path);
  }

  private Channel bind(
      ServerNode node, Class<? extends ServerChannel> type, SocketAddress address, boolean unix)
      throws IOException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(type)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(Limits.LOW_WATER, Limits.HIGH_WATER))
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channels.add(channel);
                    channel
                        .pipeline()
                        .addLast(new ClientConnection(node, flushes, pool, channel, unix));
                  }
                });
    if (!unix) {
      bootstrap.option(ChannelOption.SO_BACKLOG, BACKLOG);
      bootstrap.option(ChannelOption.SO_REUSEADDR, true);
      bootstrap.childOption(ChannelOption.TCP_NODELAY, true);
    }
    var bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException("cannot listen on " + address + ": " + bound.cause(), bound.cause());
    }
    channels.add(bound.channel());
    return bound.channel();
  }

  /**
   * Reads every socket once, without waiting. For a script that holds the command thread for long:
   * called on that thread, from inside the script, so that others get their answer.
   */
  public void readSockets() {
    for (Channel channel : channels) {
      if (channel.isOpen()
          && channel.config().isAutoRead()
          && channel.unsafe() instanceof AbstractNioChannel.NioUnsafe unsafe) {
        unsafe.read();
      }
    }
  }

  /** Closes every socket and ends the thread; waits at most a few seconds. */
  @Override
  public void close() {
    channels.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    group.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS);
    group.terminationFuture().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    for (Path file : socketFiles) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        System.getLogger(Listener.class.getName())
            .log(System.Logger.Level.WARNING, "cannot delete socket file " + file, e);
      }
    }
  }
}
