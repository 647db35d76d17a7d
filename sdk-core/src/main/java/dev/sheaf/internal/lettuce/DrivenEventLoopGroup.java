// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.AbstractEventExecutorGroup;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.Promise;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The {@link DrivenEventLoop}s of one client. Sockets take turns among them.
 *
 * <p>Thread-safe.
 */
final class DrivenEventLoopGroup extends AbstractEventExecutorGroup implements IoEventLoopGroup {

  private final List<DrivenEventLoop> loops = new ArrayList<>();
  private final AtomicInteger turns = new AtomicInteger();
  private final Promise<?> terminated = new DefaultPromise<Void>(GlobalEventExecutor.INSTANCE);

  DrivenEventLoopGroup(int count, IoHandlerFactory handlers, ThreadFactory threads) {
    AtomicInteger running = new AtomicInteger(count);
    for (int i = 0; i < count; i++) {
      DrivenEventLoop loop = new DrivenEventLoop(this, handlers, threads);
      loops.add(loop);
      loop.terminationFuture()
          .addListener(
              ended -> {
                if (running.decrementAndGet() == 0) {
                  terminated.setSuccess(null);
                }
              });
    }
  }

  @Override
  public IoEventLoop next() {
    return loops.get(Math.floorMod(turns.getAndIncrement(), loops.size()));
  }

  @Override
  public Iterator<EventExecutor> iterator() {
    return List.<EventExecutor>copyOf(loops).iterator();
  }

  @Override
  @SuppressWarnings("deprecation") // Netty still asks for it.
  public ChannelFuture register(Channel channel) {
    return next().register(channel);
  }

  @Override
  @SuppressWarnings("deprecation") // Netty still asks for it.
  public ChannelFuture register(ChannelPromise promise) {
    return next().register(promise);
  }

  @Override
  @Deprecated
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    return next().register(channel, promise);
  }

  @Override
  public Future<IoRegistration> register(IoHandle handle) {
    return next().register(handle);
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return loops.get(0).isCompatible(type);
  }

  @Override
  public boolean isIoType(Class<? extends IoHandler> type) {
    return loops.get(0).isIoType(type);
  }

  @Override
  public boolean isShuttingDown() {
    return loops.get(0).isShuttingDown();
  }

  @Override
  public boolean isShutdown() {
    return terminated.isDone();
  }

  @Override
  public boolean isTerminated() {
    return terminated.isDone();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
    return terminated.await(timeout, unit);
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    loops.forEach(loop -> loop.shutdownGracefully(quietPeriod, timeout, unit));
    return terminated;
  }

  @Override
  @Deprecated
  public void shutdown() {
    shutdownGracefully(0, 0, TimeUnit.SECONDS);
  }

  @Override
  public Future<?> terminationFuture() {
    return terminated;
  }
}
