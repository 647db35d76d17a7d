// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.proxy;

import dev.sheaf.embedded.internal.data.Check;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback interface that adds network latency and faults to any server.
 *
 * <p>The delay is that of a pipe: each piece of data is delivered one delay after it arrived, in
 * order, however many are in flight. So it does not limit throughput. A piece is never delivered
 * early. The TCP handshake is not delayed.
 *
 * <p>Thread-safe, also while data flows. The fault methods are effective when they return. They
 * wait for the proxy's own thread, which never blocks, and throw {@link IllegalStateException} once
 * the proxy is closed.
 */
public final class LatencyProxy implements AutoCloseable {

  /**
   * The default limit of the bytes held for one direction of one connection: five milliseconds of a
   * link of 100 Gbit/s. It slows no delay of practical length, and bounds the cost of a stalled
   * peer.
   */
  public static final int DEFAULT_MAX_BYTES_IN_FLIGHT = 64 * 1024 * 1024;

  /** How long {@link #close()} waits for the proxy's threads to end. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private static final int CONNECT_TIMEOUT_MILLIS = 10_000;

  private final String targetHost;
  private final int targetPort;
  private final String listenHost;
  private final int maxBytesInFlight;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final ProxyScheduler scheduler;
  private final ProxyLink toServer;
  private final ProxyLink toClient;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final ProxyCounters counters = new ProxyCounters();

  // Confined to the event loop.
  private final Set<ProxyConnection> connections = new LinkedHashSet<>();
  private @Nullable Channel listener;
  private boolean blackHole;

  private final int port;
  private volatile boolean closed;

  private LatencyProxy(Builder settings) {
    this.targetHost = settings.targetHost;
    this.targetPort = settings.targetPort;
    this.listenHost = settings.listenHost;
    this.maxBytesInFlight = settings.maxBytesInFlight;
    this.group = new MultiThreadIoEventLoopGroup(1, this::newThread, NioIoHandler.newFactory());
    this.loop = group.next();
    this.scheduler = new ProxyScheduler(loop);
    threads.add(scheduler.thread);
    this.toServer = new ProxyLink(settings.delayNanos, settings.bitsPerSecond);
    this.toClient = new ProxyLink(settings.delayNanos, settings.bitsPerSecond);
    try {
      this.port = bind(settings.listenPort);
    } catch (RuntimeException e) {
      stopThreads();
      throw e;
    }
  }

  /** Returns a builder. Only the target is required. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the port for clients, on the loopback address. */
  public int port() {
    return port;
  }

  /** Returns the counters since the start or the last {@link #resetStats()}. */
  public ProxyStats stats() {
    return counters.snapshot();
  }

  /** Resets all counters. Bytes in flight, a gauge, keep their value. */
  public void resetStats() {
    counters.reset();
  }

  /**
   * Changes the delay of each direction for data that arrives from now on. Data in flight keeps its
   * delay and is not overtaken.
   *
   * @throws IllegalArgumentException if the delay is negative
   */
  public void delay(Duration oneWayDelay) {
    long nanos = Builder.checkedDelay(oneWayDelay);
    onLoop(
        () -> {
          toServer.delayNanos = nanos;
          toClient.delayNanos = nanos;
        });
  }

  /** Closes every open connection on both sides, in an orderly way. */
  public void dropConnections() {
    onLoop(() -> openConnections().forEach(ProxyConnection::close));
  }

  /** Resets every open connection: both peers see a TCP RST instead of an end of stream. */
  public void resetConnections() {
    onLoop(() -> openConnections().forEach(ProxyConnection::reset));
  }

  /**
   * While on, everything that either side sends is dropped, and new connections are accepted
   * without a server behind them, as when a host has vanished. When it is switched off, connections
   * that were open meanwhile are reset, because their streams have gaps.
   */
  public void blackHole(boolean on) {
    onLoop(
        () -> {
          if (blackHole && !on) {
            openConnections().forEach(ProxyConnection::reset);
          }
          blackHole = on;
          openConnections().forEach(connection -> connection.swallow(on));
        });
  }

  /**
   * While on, new connections are refused, as by a port without a listener; open ones continue.
   *
   * @throws IllegalStateException if another process uses the port now
   */
  public synchronized void refuse(boolean on) {
    boolean[] listening = new boolean[1];
    onLoop(() -> listening[0] = listener != null);
    if (on && listening[0]) {
      onLoop(this::stopListening);
      // A socket registered with a selector releases its port in the selector's next round.
      loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS).syncUninterruptibly();
    } else if (!on && !listening[0]) {
      bind(port);
    }
  }

  /** While on, nothing is delivered to clients; it is held, up to the limit, and sent later. */
  public void pauseToClient(boolean on) {
    onLoop(
        () -> {
          toClient.paused = on;
          openConnections().forEach(ProxyConnection::pauseChanged);
        });
  }

  /** While on, nothing is delivered to the server; it is held, up to the limit, and sent later. */
  public void pauseToServer(boolean on) {
    onLoop(
        () -> {
          toServer.paused = on;
          openConnections().forEach(ProxyConnection::pauseChanged);
        });
  }

  /**
   * Delivers exactly {@code bytes} more bytes to clients, counted over all connections, and then
   * closes the connection that carried the last of them, even within a reply. Works once: later
   * data and other connections are not affected. A further call replaces the previous one.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public void cutAfterBytesToClient(long bytes) {
    Check.argument(bytes < 0, "bytes must be 0 or more, was %s", bytes);
    onLoop(() -> toClient.bytesUntilCut = bytes);
  }

  /** Closes the listener and every connection, and ends both threads within seconds. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    try {
      runOnLoop(
          () -> {
            stopListening();
            openConnections().forEach(ProxyConnection::close);
          });
    } finally {
      stopThreads();
    }
  }

  private void stopThreads() {
    scheduler.stop();
    group.shutdownGracefully(0, CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()) {
        join(thread, deadline);
      }
    }
  }

  private static void join(Thread thread, long deadline) {
    boolean interrupted = false;
    while (thread.isAlive() && System.nanoTime() - deadline < 0) {
      try {
        TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Thread newThread(Runnable work) {
    Thread thread = new FastThreadLocalThread(work, "sheaf-latency-proxy-io");
    thread.setDaemon(true);
    threads.add(thread);
    return thread;
  }

  private int bind(int wantedPort) {
    InetSocketAddress address = new InetSocketAddress(listenHost, wantedPort);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel client) {
                    accept(client);
                  }
                });
    var bound = bootstrap.bind(address).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IllegalStateException(
          "cannot listen on " + address + "; choose another listenPort, or 0 for any free one",
          bound.cause());
    }
    Channel channel = bound.channel();
    runOnLoop(() -> listener = channel);
    return ((InetSocketAddress) channel.localAddress()).getPort();
  }

  private void stopListening() {
    if (listener != null) {
      listener.close();
      listener = null;
    }
  }

  private void accept(SocketChannel client) {
    counters.connections.incrementAndGet();
    ProxyConnection connection =
        new ProxyConnection(client, toServer, toClient, scheduler, counters, maxBytesInFlight);
    connections.add(connection);
    client.closeFuture().addListener(closedClient -> connections.remove(connection));
    client.pipeline().addLast(connection.clientHandler());
    if (blackHole) {
      connection.swallow(true);
    } else {
      connectToTarget(connection);
    }
  }

  private void connectToTarget(ProxyConnection connection) {
    new Bootstrap()
        .group(loop)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
        .handler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel server) {
                server.pipeline().addLast(connection.serverHandler());
              }
            })
        .connect(targetHost, targetPort)
        .addListener(
            connected -> {
              if (!connected.isSuccess()) {
                connection.reset();
              }
            });
  }

  private List<ProxyConnection> openConnections() {
    return new ArrayList<>(connections);
  }

  private void onLoop(Runnable change) {
    Check.state(closed, "the proxy on port %s is closed", port);
    runOnLoop(change);
  }

  private void runOnLoop(Runnable change) {
    try {
      loop.submit(change).syncUninterruptibly();
    } catch (RejectedExecutionException e) {
      throw new IllegalStateException("the proxy is closed", e);
    }
  }

  /** A builder of a proxy. Not thread-safe. */
  public static final class Builder {

    private String targetHost = "";
    private int targetPort;
    private String listenHost = "127.0.0.1";
    private int listenPort;
    private long delayNanos;
    private long bitsPerSecond;
    private int maxBytesInFlight = DEFAULT_MAX_BYTES_IN_FLIGHT;

    private Builder() {}

    /**
     * Sets the server behind the proxy, which need not be running yet. If it cannot be reached, the
     * client's connection is reset.
     *
     * @throws IllegalArgumentException if the port is not in 1 to 65535
     */
    public Builder target(String host, int port) {
      this.targetHost = Objects.requireNonNull(host, "host");
      Check.argument(port < 1 || port > 65_535, "target port must be in 1..65535, was %s", port);
      this.targetPort = port;
      return this;
    }

    /**
     * Sets the delay of each direction, zero by default. A round trip takes two of them longer.
     *
     * @throws IllegalArgumentException if the delay is negative
     */
    public Builder oneWayDelay(Duration delay) {
      this.delayNanos = checkedDelay(delay);
      return this;
    }

    /**
     * Sets the bandwidth of each direction, shared by all connections; unlimited by default.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder bandwidthBitsPerSecond(long bitsPerSecond) {
      Check.argument(
          bitsPerSecond <= 0,
          "bandwidth must be positive, was %s; leave it out for no limit",
          bitsPerSecond);
      this.bitsPerSecond = bitsPerSecond;
      return this;
    }

    /**
     * Sets the port to listen on; 0, the default, takes any free one.
     *
     * @throws IllegalArgumentException if the port is not in 0 to 65535
     */
    public Builder listenPort(int port) {
      Check.argument(port < 0 || port > 65_535, "listen port must be in 0..65535, was %s", port);
      this.listenPort = port;
      return this;
    }

    /**
     * Sets the limit of the bytes held for one direction of one connection before its sender must
     * wait; {@value #DEFAULT_MAX_BYTES_IN_FLIGHT} by default. One read (64 KiB) can exceed it.
     *
     * @throws IllegalArgumentException if it is not positive
     */
    public Builder maxBytesInFlight(int bytes) {
      Check.argument(bytes <= 0, "maxBytesInFlight must be positive, was %s", bytes);
      this.maxBytesInFlight = bytes;
      return this;
    }

    /**
     * Starts listening.
     *
     * @throws IllegalStateException if there is no target, or the port cannot be bound
     */
    public LatencyProxy start() {
      Check.state(targetPort == 0, "no target; call target(host, port) before start()");
      return new LatencyProxy(this);
    }

    private static long checkedDelay(Duration delay) {
      Check.argument(delay.isNegative(), "the delay must be zero or more, was %s", delay);
      return delay.toNanos();
    }
  }
}
