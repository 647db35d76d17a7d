// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.protocol.RedisCommand;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.local.LocalChannel;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class NodePipelineReconnectTest {

  /**
   * A caller is held up between looking up the socket and waking its event loop, until there is
   * another socket with another event loop. What it queued must be written there: the state of a
   * socket belongs to its own event loop.
   */
  @Test
  void drainThatWasMeantForALostSocket_runsOnTheEventLoopOfTheNewOne() throws Exception {
    ThreadRecorder recorder = new ThreadRecorder();
    NodePipeline pipeline = recorder.pipeline();
    CountDownLatch heldUp = new CountDownLatch(1);
    CountDownLatch reconnected = new CountDownLatch(1);
    EventLoop oldLoop = new DefaultEventLoop();
    EventLoop newLoop = new DefaultEventLoop();
    try {
      Thread caller = new Thread(() -> pipeline.queue().submit(FakeWriter.ping()));
      LocalChannel oldSocket =
          new LocalChannel() {
            @Override
            public EventLoop eventLoop() {
              if (Thread.currentThread() == caller) {
                heldUp.countDown();
                await(reconnected);
              }
              return super.eventLoop();
            }
          };
      LocalChannel newSocket = new LocalChannel();
      oldLoop.register(oldSocket).sync();
      newLoop.register(newSocket).sync();
      ChannelHandover turns = new ChannelHandover(pipeline);
      NodeChannel lost = new NodeChannel(pipeline, turns, oldSocket, true);
      NodeChannel opened = new NodeChannel(pipeline, turns, newSocket, true);
      oldLoop.submit(() -> pipeline.attach(lost)).sync();

      caller.start();
      await(heldUp);
      oldLoop.submit(() -> pipeline.detach(lost)).sync();
      newLoop.submit(() -> pipeline.attach(opened)).sync();
      reconnected.countDown();

      Thread writer = recorder.writer.get(10, TimeUnit.SECONDS);
      assertThat(writer).isSameAs(newLoop.submit(Thread::currentThread).get());
      caller.join();
    } finally {
      oldLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
      newLoop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static final class ThreadRecorder extends FakeWriter {

    final CompletableFuture<Thread> writer = new CompletableFuture<>();

    @Override
    void written(Collection<? extends RedisCommand<?, ?, ?>> commands) {
      writer.complete(Thread.currentThread());
    }
  }
}
