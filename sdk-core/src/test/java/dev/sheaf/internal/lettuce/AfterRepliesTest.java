// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoHandlerContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks of the thread that delivers replies run once it has delivered those that have arrived. */
@Timeout(180)
class AfterRepliesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ReadHandler handler = new ReadHandler();
  private final DrivenEventLoopGroup group = handler.start();
  private final List<String> events = new CopyOnWriteArrayList<>();

  /** Runs code in place of reading sockets. */
  private static final class ReadHandler extends SocketlessHandler {

    private final BlockingQueue<Runnable> reads = new LinkedBlockingQueue<>();

    @Override
    public int run(IoHandlerContext context) {
      try {
        Runnable read = context.canBlock() ? reads.take() : reads.poll();
        if (read != null) {
          read.run();
        }
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      return 0;
    }

    @Override
    public void wakeup() {
      reads.add(() -> {});
    }

    /** Runs code while the sockets are read, until the end of the turn. */
    private void read(Runnable code) throws Exception {
      CompletableFuture<Void> over = new CompletableFuture<>();
      reads.add(
          () -> {
            try {
              code.run();
            } catch (Throwable e) {
              over.completeExceptionally(e);
              throw e;
            }
          });
      reads.add(() -> over.complete(null));
      over.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @AfterEach
  void close() {
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly(30, TimeUnit.SECONDS);
  }

  private void reply(String name, Runnable afterReplies) {
    events.add(name);
    assertThat(DrivenEventLoop.afterReplies(afterReplies)).isTrue();
  }

  @Test
  void tasks_runAfterTheReplies() throws Exception {
    handler.read(
        () -> {
          reply("first", () -> events.add("woken by the first"));
          reply("second", () -> events.add("woken by the second"));
        });
    assertThat(events)
        .containsExactly("first", "second", "woken by the first", "woken by the second");
  }

  @Test
  void tasks_runBeforeCodeThatMayBlock() throws Exception {
    handler.read(
        () -> {
          reply("first", () -> events.add("woken"));
          DrivenEventLoop.endAfterReplies();
          events.add("callback");
        });
    assertThat(events).containsExactly("first", "woken", "callback");
  }

  @Test
  void otherThreads_areToldToRunTheTaskThemselves() {
    assertThat(DrivenEventLoop.afterReplies(() -> events.add("run"))).isFalse();
    DrivenEventLoop.endAfterReplies();
    assertThat(events).isEmpty();
  }
}
