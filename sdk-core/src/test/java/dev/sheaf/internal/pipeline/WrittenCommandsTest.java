// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Stage;
import dev.sheaf.testkit.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.DefaultEndpoint;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is said of commands that one socket has not answered, and what it costs to find out. */
@Timeout(180)
class WrittenCommandsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int COMMANDS = 1_000;
  private static final int CALLERS = 64;

  private final ClientResources resources =
      ClientResources.builder().ioThreadPoolSize(2).computationThreadPoolSize(2).build();

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  private final List<AsyncCommand<String, String, String>> sent = new ArrayList<>();

  private CountingHandler handler;
  private Channel channel;
  private WrittenCommands written;

  /** Counts the passes through the commands that await replies, and can hold one up. */
  private static final class CountingHandler extends CommandHandler {

    private final AtomicInteger passes = new AtomicInteger();
    private volatile CountDownLatch held = new CountDownLatch(0);

    CountingHandler(ClientResources resources) {
      super(
          ClientOptions.create(),
          resources,
          new DefaultEndpoint(ClientOptions.create(), resources));
    }

    @Override
    public Queue<RedisCommand<?, ?, ?>> getStack() {
      passes.incrementAndGet();
      try {
        assertThat(held.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return super.getStack();
    }
  }

  @BeforeEach
  void send() throws Exception {
    handler = new CountingHandler(resources);
    channel =
        new Bootstrap()
            .group(group)
            .channel(NioSocketChannel.class)
            .handler(handler)
            .register()
            .sync()
            .channel();
    written = new WrittenCommands(channel, System::nanoTime);
    for (int i = 0; i < COMMANDS; i++) {
      sent.add(command());
    }
    channel.eventLoop().submit(() -> handler.getStack().addAll(sent)).sync();
    handler.passes.set(0);
  }

  @AfterEach
  void shutDown() throws Exception {
    endLoop();
    resources.shutdown(0, 1, TimeUnit.SECONDS).get();
  }

  /** Closes the channel first: its handler has a buffer. */
  private void endLoop() throws Exception {
    channel.close().await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
  }

  private static AsyncCommand<String, String, String> command() {
    return new AsyncCommand<>(
        new Command<>(CommandType.PING, new StatusOutput<>(StringCodec.UTF8)));
  }

  private static Lateness behind(int commands) {
    return new Lateness(
        Stage.UNANSWERED, "it was written, and " + commands + " commands are ahead of it");
  }

  @Test
  void whatWasSent_isFoundByAllItWraps() {
    AsyncCommand<String, String, String> third = sent.get(2);
    assertThat(written.find(third)).isEqualTo(behind(2));
    assertThat(written.find(third.getDelegate())).isEqualTo(behind(2));
    assertThat(written.find(sent.get(COMMANDS - 1))).isEqualTo(behind(COMMANDS - 1));
    assertThat(written.find(command())).isNull();
  }

  @Test
  void callersThatAreLateAtOnce_shareOnePass() throws Exception {
    handler.held = new CountDownLatch(1);
    Lateness[] found = new Lateness[CALLERS];
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      int index = i;
      // Two of them for each command.
      Thread caller = new Thread(() -> found[index] = written.find(sent.get(index / 2)));
      callers.add(caller);
      caller.start();
      if (i == 0) {
        Await.until("the first pass", PATIENCE, () -> handler.passes.get() == 1);
      }
    }
    Await.until(
        "all callers", PATIENCE, () -> callers.stream().allMatch(WrittenCommandsTest::hasAsked));
    handler.held.countDown();
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(handler.passes.get()).isLessThanOrEqualTo(2);
    for (int i = 0; i < CALLERS; i++) {
      int index = i / 2;
      // A machine on which that took longer than callers wait for the event loop has a reason too.
      assertThat(found[i])
          .isNotNull()
          .matches(
              why ->
                  why.equals(behind(index))
                      || why.stage() == Stage.NOT_RUNNING
                      || why.stage() == Stage.EVENT_LOOP_BUSY);
    }
  }

  /** Whether a thread has begun to wait for what it asked. */
  private static boolean hasAsked(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        || thread.getState() == Thread.State.TERMINATED;
  }

  @Test
  void twoThatAskForTheSame_areBothTold() throws Exception {
    AsyncCommand<String, String, String> command = sent.get(1);
    Lateness toldHere =
        channel
            .eventLoop()
            .submit(
                () -> {
                  Thread other = new Thread(() -> written.find(command));
                  other.start();
                  Await.until("the other", PATIENCE, () -> hasAsked(other));
                  return written.find(command);
                })
            .get();
    assertThat(toldHere).isEqualTo(behind(1));
  }

  @Test
  void flightsThatAreLateAtOnce_haveTheReasonOfTheFirst() {
    for (AsyncCommand<String, String, String> each : sent) {
      assertThat(written.findFlight(each)).isNotNull();
    }
    // Once in 20 ms. A machine that needs so long for each has stopped.
    assertThat(handler.passes.get()).isPositive().isLessThan(COMMANDS / 2);
  }

  @Test
  void afterTheClientWasShutDown_thatIsTheReason() throws Exception {
    endLoop();
    assertThat(written.find(sent.get(0)))
        .isEqualTo(new Lateness(Stage.NO_CONNECTION, "the client was shut down"));
  }
}
