// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.internal.net;

import dev.sheaf.embedded.internal.node.ServerNode;
import dev.sheaf.embedded.internal.protocol.BufferPool;
import dev.sheaf.embedded.internal.protocol.Limits;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * The sockets of all nodes of one server, and the single thread that serves them and runs commands.
 */
public final class Listener implements AutoCloseable {
  private static final int BACKLOG = 511;
  private static final int CLOSE_SECONDS = 5;
  private static final int ROUNDS_UNTIL_FREE = 2;

  private final Transport transport;
  private final IoEventLoopGroup group;
  private final Flushes flushes;
  private final BufferPool pool = new BufferPool();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final List<Path> socketFiles = new ArrayList<>();
  private final Map<ServerNode, Channel> servers = new ConcurrentHashMap<>();

  /**
   * @param epoll whether to use Linux's epoll instead of Java's sockets
   * @throws IllegalStateException if epoll cannot be used
   */
  public Listener(boolean epoll) {
    transport = epoll ? epoll() : new NioTransport();
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("sheaf-embedded", true), transport.ioHandler());
    flushes = new Flushes(group.next());
  }

  private static Transport epoll() {
    try {
      return new EpollTransport();
    } catch (NoClassDefFoundError e) {
      throw new IllegalStateException(
          "the epoll transport needs netty-transport-native-epoll on the class path", e);
    }
  }

  /** The thread that owns all data. */
  public ScheduledExecutorService thread() {
    return group.next();
  }

  /** Returns whether the caller is that thread. */
  public boolean isThread() {
    return group.next().inEventLoop();
  }

  /**
   * Opens a TCP port on the loopback address; port 0 uses a free one.
   *
   * @return the port
   * @throws IOException if the port is in use
   */
  @SuppressWarnings("AddressSelection") // An address, not a name with several.
  public int listen(ServerNode node, int port) throws IOException {
    Channel channel = bind(node, transport.tcp(), new InetSocketAddress("127.0.0.1", port), false);
    servers.put(node, channel);
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  /** Closes the node's TCP port. Not called on the command thread. Its connections stay open. */
  public void unlisten(ServerNode node) {
    Channel server = servers.remove(node);
    if (server != null) {
      server.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
      // Java releases the port in the event loop's next selection, not in close itself.
      for (int round = 0; round < ROUNDS_UNTIL_FREE; round++) {
        // A delayed task never runs in the same round as the previous one.
        group
            .next()
            .schedule(() -> {}, 1, TimeUnit.MILLISECONDS)
            .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
      }
    }
  }

  /**
   * Opens a Unix socket. Replaces a file left behind by a process that has ended.
   *
   * @throws IOException if the path cannot be used
   */
  public void listen(ServerNode node, Path path) throws IOException {
    Files.deleteIfExists(path);
    bind(node, transport.unix(), transport.unixAddress(path), true);
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
            // Replies are sent after the read that may have reached the end of the stream.
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    accept(node, channel, unix);
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

  private void accept(ServerNode node, Channel channel, boolean unix) {
    channels.add(channel);
    channel.pipeline().addLast(new ClientConnection(node, flushes, pool, channel, unix));
  }

  /** Returns the server's event loop, the only one in its group. */
  public IoEventLoopGroup eventLoops() {
    return group;
  }

  /**
   * Reads every socket once, without waiting. A script that occupies the command thread for long
   * calls this on that thread, so that other clients get an answer.
   */
  public void readSockets() {
    for (Channel channel : channels) {
      if (channel.isOpen() && channel.config().isAutoRead()) {
        transport.readNow(channel);
      }
    }
    flushes.flush();
  }

  /** Closes every socket and ends the thread; waits a few seconds at most. */
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
