// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded.lettuce;

import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The server's event loop where Lettuce's sockets can run on it, otherwise event loops of its own.
 */
final class ServerEventLoops implements EventLoopGroupProvider {
  private static final int OWN_THREADS = 1;

  private final IoEventLoopGroup server;
  private final boolean shared;
  private final EventLoopGroupProvider own = new DefaultEventLoopGroupProvider(OWN_THREADS);

  ServerEventLoops(EmbeddedServer embedded) {
    server = embedded.eventLoops();
    String kind = server.isIoType(NioIoHandler.class) ? "NioSocketChannel" : "EpollSocketChannel";
    shared = kind.equals(Transports.socketChannelClass().getSimpleName());
  }

  @Override
  @SuppressWarnings("unchecked") // Lettuce requests it by class, and uses it as a group
  public <T extends EventLoopGroup> T allocate(Class<T> type) {
    return shared ? (T) server : own.allocate(type);
  }

  @Override
  public int threadPoolSize() {
    return OWN_THREADS;
  }

  /** The server's event loop is not shut down. */
  @Override
  public Future<Boolean> release(
      EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
    return shared
        ? ImmediateEventExecutor.INSTANCE.newSucceededFuture(true)
        : own.release(group, quietPeriod, timeout, unit);
  }

  @Override
  public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
    return own.shutdown(quietPeriod, timeout, unit);
  }
}
