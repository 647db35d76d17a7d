// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.wait.AwaitedCommand;
import dev.sheaf.internal.wait.Deadlines;
import dev.sheaf.testkit.Await;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thread that awaits several replies is woken once those that have arrived are delivered. */
@Timeout(180)
class AfterRepliesTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** So long that no wait is ended by its time. */
  private static final Duration LONG = Duration.ofHours(1);

  private final ReadHandler handler = new ReadHandler();
  private final DrivenEventLoopGroup group =
      new DrivenEventLoopGroup(1, 0, handler.factory(), new DefaultThreadFactory("driven", true));
  private final Deadlines deadlines = new Deadlines(LONG, 0);
  private final List<String> events = new CopyOnWriteArrayList<>();

  /** Runs code in place of reading sockets. */
  private static final class ReadHandler implements IoHandler {

    private final BlockingQueue<Runnable> reads = new LinkedBlockingQueue<>();

    private IoHandlerFactory factory() {
      return new IoHandlerFactory() {
        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
          return ReadHandler.this;
        }

        @Override
        public boolean isChangingThreadSupported() {
          return true;
        }
      };
    }

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

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
      return false;
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
    deadlines.close();
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

  /** The event loop goes on when a thread that awaits one reply only is seen to be awake. */
  @Test
  void threadThatAwaitsAFuture_sleepsUntilTheRepliesAreDelivered() throws Exception {
    AsyncCommand<String, String, String> first = command();
    AsyncCommand<String, String, String> second = command();
    AsyncCommand<String, String, String> alone = command();
    CompletableFuture<String> values = startsWaiting(first, second);
    CompletableFuture<String> value = startsWaiting(alone);
    handler.read(
        () -> {
          answer(first, "1");
          answer(alone, "alone");
          value.join();
          assertThat(values).isNotDone();
          answer(second, "2");
          assertThat(values).isNotDone();
        });
    assertThat(values).succeedsWithin(PATIENCE).isEqualTo("12");
  }

  /** Awaits one reply as a blocking command does, or two as code that calls futures does. */
  private CompletableFuture<String> startsWaiting(AsyncCommand<String, String, String> only) {
    CompletableFuture<String> value = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              only.await(LONG.toNanos(), TimeUnit.NANOSECONDS);
              value.complete(only.join());
            });
    startAndAwait(thread, only);
    return value;
  }

  private CompletableFuture<String> startsWaiting(
      AsyncCommand<String, String, String> first, AsyncCommand<String, String, String> second) {
    CompletableFuture<String> values = new CompletableFuture<>();
    Thread thread = new Thread(() -> values.complete(first.join() + second.join()));
    startAndAwait(thread, first);
    return values;
  }

  private static void startAndAwait(Thread thread, AsyncCommand<String, String, String> reply) {
    thread.start();
    Await.until("it waits", PATIENCE, () -> LockSupport.getBlocker(thread) == reply);
  }

  @SuppressWarnings("unchecked")
  private AsyncCommand<String, String, String> command() {
    StatefulConnection<String, String> connection =
        (StatefulConnection<String, String>)
            Proxy.newProxyInstance(
                StatefulConnection.class.getClassLoader(),
                new Class<?>[] {StatefulConnection.class},
                (proxy, method, arguments) -> arguments[0]);
    return AwaitedCommand.dispatch(
        new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.UTF8)),
        connection,
        deadlines);
  }

  private static void answer(AsyncCommand<String, String, String> command, String value) {
    command.getOutput().set(StringCodec.UTF8.encodeValue(value));
    command.complete();
  }
}
