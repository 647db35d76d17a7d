// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The event loop provider of one client: {@link DrivenEventLoop}s if the transport allows a change
 * of threads, else the event loops of the given resources.
 *
 * <p>Thread-safe.
 */
public final class DrivenEventLoops implements EventLoopGroupProvider {

  /**
   * One event loop for four of Lettuce's I/O threads, of which there is one per processor. A caller
   * drives one loop: the fewer loops there are, the more sockets of a cluster it can serve itself.
   * One loop handles some hundred thousand commands a second.
   */
  private static final int THREADS_PER_LOOP = 4;

  private static final Logger LOG = LoggerFactory.getLogger("dev.sheaf.io");

  private final EventLoopGroupProvider given;
  private final boolean one;
  private final AtomicBoolean warned = new AtomicBoolean();

  private DrivenEventLoops(EventLoopGroupProvider given, boolean one) {
    this.given = given;
    this.one = one;
  }

  /**
   * Wraps the given provider, unless the application supplied its own.
   *
   * @param one whether one event loop is enough
   */
  public static EventLoopGroupProvider over(EventLoopGroupProvider given, boolean one) {
    if (given.getClass() == DefaultEventLoopGroupProvider.class) {
      return new DrivenEventLoops(given, one);
    }
    if (!one) {
      warn("the client resources have a " + given.getClass().getName() + " of their own");
    }
    return given;
  }

  private static void warn(String reason) {
    LOG.warn(
        "Threads that wait for replies park instead of driving the event loop, which is slower for"
            + " a few threads: {}",
        reason);
  }

  @Override
  @SuppressWarnings(
      "unchecked") // Lettuce keeps it by the type it asked for, and uses no more of it.
  public <T extends EventLoopGroup> T allocate(Class<T> type) {
    IoHandlerFactory handlers = handlers();
    if (handlers == null || !handlers.isChangingThreadSupported()) {
      if (!one && warned.compareAndSet(false, true)) {
        warn("Lettuce's sockets are " + Transports.socketChannelClass().getSimpleName() + "s");
      }
      return given.allocate(type);
    }
    int loops = one ? 1 : Math.max(1, given.threadPoolSize() / THREADS_PER_LOOP);
    return (T) (EventLoopGroup) new DrivenEventLoopGroup(loops, one ? 0 : 1, handlers, threads());
  }

  /**
   * Moves a connection to an event loop that no caller drives, before it is opened. Its code, such
   * as callbacks of futures and listeners of pub/sub, then never runs on the thread of a caller.
   */
  public static void keepFromDrivers(ConnectionBuilder connection) {
    Bootstrap bootstrap = connection.bootstrap();
    EventLoopGroup undriven =
        bootstrap.config().group() instanceof DrivenEventLoopGroup loops ? loops.undriven() : null;
    if (undriven != null) {
      connection.bootstrap(bootstrap.clone(undriven));
    }
  }

  private static DefaultThreadFactory threads() {
    return new DefaultThreadFactory("sheaf-io", true);
  }

  /**
   * The I/O handlers of the transport that Lettuce has chosen; null if it cannot change threads.
   */
  private static @Nullable IoHandlerFactory handlers() {
    return switch (Transports.socketChannelClass().getSimpleName()) {
      case "NioSocketChannel" -> NioIoHandler.newFactory();
      case "EpollSocketChannel" -> Epoll.handlers();
      default -> null;
    };
  }

  /** A class of its own, loaded only if the optional transport is on the class path. */
  private static final class Epoll {
    static IoHandlerFactory handlers() {
      return EpollIoHandler.newFactory();
    }
  }

  @Override
  public int threadPoolSize() {
    return given.threadPoolSize();
  }

  @Override
  public Future<Boolean> release(
      EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
    if (!(group instanceof DrivenEventLoopGroup)) {
      return given.release(group, quietPeriod, timeout, unit);
    }
    Promise<Boolean> released = new DefaultPromise<>(GlobalEventExecutor.INSTANCE);
    group
        .shutdownGracefully(quietPeriod, timeout, unit)
        .addListener(ended -> released.setSuccess(ended.isSuccess()));
    return released;
  }

  @Override
  public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    return given.shutdown(quietPeriod, timeout, unit);
  }
}
