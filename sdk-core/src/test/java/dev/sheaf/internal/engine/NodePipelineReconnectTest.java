package dev.sheaf.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
import dev.sheaf.internal.command.Outgoing;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.waiting.Deadlines;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisChannelWriter;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ConnectionFacade;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.netty.channel.local.LocalChannel;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class NodePipelineReconnectTest {

  /**
   * A caller is held up between looking up the socket and waking its event loop, until there is
   * another socket with another event loop. What it queued must be written there: the state of a
   * socket belongs to its own event loop.
   */
  @Test
  void drainThatWasMeantForALostSocket_runsOnTheEventLoopOfTheNewOne() throws Exception {
    ThreadRecorder recorder = new ThreadRecorder();
    ClientOptions options = ClientOptions.create();
    NodePipeline pipeline =
        new NodePipeline(
            recorder,
            new ClientContext(
                BatchingOptions.defaults(),
                Duration.ofSeconds(1),
                new WriteClock(),
                null,
                null,
                new ScriptTexts(),
                new Deadlines(Duration.ofSeconds(1), true)),
            false,
            options,
            new CommandTimeouts(options.getTimeoutOptions()));
    CountDownLatch heldUp = new CountDownLatch(1);
    CountDownLatch reconnected = new CountDownLatch(1);
    EventLoop oldLoop = new DefaultEventLoop();
    EventLoop newLoop = new DefaultEventLoop();
    try {
      Thread caller =
          new Thread(
              () ->
                  pipeline
                      .entrance()
                      .submit(
                          Outgoing.encode(
                              new Command<>(
                                  CommandType.PING, new StatusOutput<>(StringCodec.ASCII)),
                              false)));
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
      SocketTurns turns = new SocketTurns(pipeline);
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

  private static final class ThreadRecorder implements RedisChannelWriter {

    final CompletableFuture<Thread> writer = new CompletableFuture<>();

    @Override
    public <K, V, T> RedisCommand<K, V, T> write(RedisCommand<K, V, T> command) {
      writer.complete(Thread.currentThread());
      return command;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <K, V> Collection<RedisCommand<K, V, ?>> write(
        Collection<? extends RedisCommand<K, V, ?>> commands) {
      writer.complete(Thread.currentThread());
      return (Collection<RedisCommand<K, V, ?>>) commands;
    }

    @Override
    public void close() {}

    @Override
    public CompletableFuture<Void> closeAsync() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public ClientResources getClientResources() {
      throw new UnsupportedOperationException("Nothing stalls here");
    }

    @Override
    public void setConnectionFacade(ConnectionFacade connection) {}

    @Override
    public void setAutoFlushCommands(boolean autoFlush) {}

    @Override
    public void flushCommands() {}
  }
}
