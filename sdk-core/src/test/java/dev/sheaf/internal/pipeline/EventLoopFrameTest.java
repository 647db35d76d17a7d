// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.testkit.Await;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringSocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the thread of an event loop is seen to do, over each kind of sockets. */
class EventLoopFrameTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void nio_idleIsNotTakenForBusy() throws Exception {
    look(NioIoHandler.newFactory(), NioSocketChannel.class);
  }

  @Test
  void epoll_idleIsNotTakenForBusy() throws Exception {
    look(EpollIoHandler.newFactory(), EpollSocketChannel.class);
  }

  @Test
  void ioUring_idleIsNotTakenForBusy() throws Exception {
    assumeTrue(IoUring.isAvailable(), () -> "no io_uring: " + IoUring.unavailabilityCause());
    look(IoUringIoHandler.newFactory(), IoUringSocketChannel.class);
  }

  private static void look(IoHandlerFactory handlers, Class<? extends Channel> type)
      throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, handlers);
    CountDownLatch busy = new CountDownLatch(1);
    try {
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(type)
              .handler(new ChannelInboundHandlerAdapter())
              .register()
              .sync()
              .channel();
      Await.until("idle", PATIENCE, () -> EventLoopFrame.of(channel) == null);
      channel.eventLoop().execute(() -> awaitQuietly(busy));
      Await.until("busy", PATIENCE, () -> EventLoopFrame.of(channel) != null);
      busy.countDown();
      Await.until("idle again", PATIENCE, () -> EventLoopFrame.of(channel) == null);
      assertThat(channel.close().await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      busy.countDown();
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
