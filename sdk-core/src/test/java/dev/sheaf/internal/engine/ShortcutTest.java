package dev.sheaf.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.waiting.LoneWaits;
import dev.sheaf.testkit.Await;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ValueOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/**
 * A caller who is alone writes for himself; nothing that Lettuce and the others do is confused by
 * it. The event loop is held up where it has to be seen what happens without it.
 */
@Timeout(60)
@DisabledIfSystemProperty(
    named = "io.lettuce.core.epoll",
    matches = "true",
    disabledReason = "native transports have no shortcut")
class ShortcutTest {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final EmbeddedServer server = EmbeddedServer.start();
  private final Sheaf<String, String> observer = Sheaf.connect(server.uri());
  private final Sockets sockets = new Sockets();

  @AfterEach
  void close() throws Exception {
    observer.close();
    server.close();
    sockets.resources.shutdown(0, 1, TimeUnit.SECONDS).get();
  }

  @Test
  void loneCallerWrites_whileTheEventLoopIsBusy() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      becomeAlone(sheaf);
      try (HeldUp loop = sockets.holdUp()) {
        RedisFuture<String> written = sheaf.async().set("key", "value");
        LoneWaits.Wait wait = LoneWaits.begin(written, 1);
        assertThat(wait).as("the wait of one who is alone").isNotNull();
        LoneWaits.end(wait);
        awaitValue("key", "value");
        loop.goOn();
        assertThat(written.get(20, TimeUnit.SECONDS)).isEqualTo("OK");
      }
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
    }
  }

  @Test
  void manyKeysOfOneCaller_areWrittenByHim() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      Map<String, String> values = new LinkedHashMap<>();
      for (int i = 0; i < 100; i++) {
        values.put("key" + i, "value" + i);
      }
      becomeAlone(sheaf);
      try (HeldUp loop = sockets.holdUp()) {
        var written = sheaf.setAllAsync(values);
        awaitValue("key99", "value99");
        loop.goOn();
        assertThat(written.get(20, TimeUnit.SECONDS)).hasSize(100);
      }
      Map<String, Result<String>> read = sheaf.getAll(values.keySet());
      values.forEach(
          (key, value) -> assertThat(read.get(key)).isEqualTo(new Result.Value<>(value)));
    }
  }

  /** It would keep the second from sharing a write, and gain the first nothing. */
  @Test
  void callersInCompany_leaveItToTheEventLoop() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      becomeAlone(sheaf);
      int callers = 2 * NodePipeline.LONE_CALLS;
      List<RedisFuture<Long>> counts = new ArrayList<>();
      // All are in the queue before the first is answered.
      try (HeldUp loop = sockets.holdUp()) {
        for (int i = 0; i < callers; i++) {
          counts.add(sheaf.async().incr("count"));
        }
        loop.goOn();
        for (int i = 0; i < callers; i++) {
          assertThat(counts.get(i).get(20, TimeUnit.SECONDS)).isEqualTo(i + 1);
        }
      }
      try (HeldUp loop = sockets.holdUp()) {
        RedisFuture<Long> next = sheaf.async().incr("count");
        assertThat(observer.sync().get("count")).isEqualTo(String.valueOf(callers));
        loop.goOn();
        assertThat(next.get(20, TimeUnit.SECONDS)).isEqualTo(callers + 1);
      }
    }
  }

  @Test
  void whateverSeesTheBytes_seesThemAll() throws Exception {
    AtomicLong bytes = new AtomicLong();
    sockets.prepare = channel -> channel.pipeline().addFirst(new ByteCounter(bytes));
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      becomeAlone(sheaf);
      for (int i = 0; i < 10; i++) {
        long before = bytes.get();
        sheaf.sync().set("key", "value");
        assertThat(bytes.get()).isGreaterThan(before + "value".length());
      }
    }
  }

  private static final class ByteCounter extends ChannelOutboundHandlerAdapter {

    private final AtomicLong bytes;

    ByteCounter(AtomicLong bytes) {
      this.bytes = bytes;
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      bytes.addAndGet(((ByteBuf) message).readableBytes());
      context.write(message, promise);
    }
  }

  /** Lettuce has to see them as they are, and when they are written. */
  @Test
  void commandsThatTravelAlone_areLeftToTheEventLoop() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      becomeAlone(sheaf);
      var commands = sheaf.standalone().async();
      try (HeldUp loop = sockets.holdUp()) {
        RedisFuture<String> multi = commands.multi();
        assertThat(observer.sync().info("commandstats")).doesNotContain("cmdstat_multi");
        loop.goOn();
        assertThat(multi.get(20, TimeUnit.SECONDS)).isEqualTo("OK");
      }
      commands.set("key", "value");
      RedisFuture<String> read = commands.get("key");
      TransactionResult result = commands.exec().get(20, TimeUnit.SECONDS);
      assertThat(result.<Object>get(0)).isEqualTo("OK");
      assertThat(result.<Object>get(1)).isEqualTo("value");
      assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("value");
    }
  }

  /** Java closes blocking channels under interrupted threads; this one belongs to others, too. */
  @Test
  void interruptedCaller_doesNotCloseTheSocket() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      becomeAlone(sheaf);
      Channel socket = sockets.current();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> sheaf.sync().get("key"))
          .isInstanceOf(RedisCommandInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
      sheaf.sync().set("key", "value");
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
      assertThat(sockets.current()).isSameAs(socket);
      assertThat(socket.isOpen()).isTrue();
    }
  }

  /** Lettuce was to be told of the flight with its reply, which does not come. */
  @Test
  void replyThatNeverComes_isTimedOut() throws Exception {
    Duration timeout = Duration.ofMillis(300);
    try (LatencyProxy proxy = proxy();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .clientResources(sockets.resources)
                .commandTimeout(timeout)
                .connect()) {
      becomeAlone(sheaf);
      proxy.pauseToClient(true);
      long began = System.nanoTime();
      RedisFuture<String> reply = sheaf.async().get("key");
      assertThatThrownBy(() -> reply.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(RedisCommandTimeoutException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(timeout);
      proxy.pauseToClient(false);
      assertThat(sheaf.async().set("key", "value").get(20, TimeUnit.SECONDS)).isEqualTo("OK");
    }
  }

  @Test
  void socketLostBeforeLettuceKnows_isLikeAnyOther() throws Exception {
    try (LatencyProxy proxy = proxy();
        Sheaf<String, String> sheaf = connect(proxy.port())) {
      sheaf.sync().set("key", "value");
      becomeAlone(sheaf);
      RedisFuture<String> read;
      try (HeldUp loop = sockets.holdUp()) {
        proxy.pauseToClient(true);
        read = sheaf.async().get("key");
        proxy.resetConnections();
        loop.goOn();
      }
      proxy.pauseToClient(false);
      assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("value");

      becomeAlone(sheaf);
      RedisFuture<Long> write;
      try (HeldUp loop = sockets.holdUp()) {
        proxy.pauseToClient(true);
        write = sheaf.async().incr("count");
        awaitValue("count", "1");
        proxy.resetConnections();
        loop.goOn();
      }
      proxy.pauseToClient(false);
      assertThatThrownBy(() -> write.get(20, TimeUnit.SECONDS))
          .cause()
          .isInstanceOf(OutcomeUnknownException.class);
      assertThat(observer.sync().get("count")).isEqualTo("1");
    }
  }

  /** What the socket does not take at once is the event loop's to write, before all else. */
  @Test
  void requestThatTheSocketTakesInPart_arrivesWhole() throws Exception {
    sockets.prepare = channel -> channel.config().setOption(ChannelOption.SO_SNDBUF, 4_096);
    try (SlowReader reader = new SlowReader(server.port());
        Sheaf<String, String> sheaf = connect(reader.port())) {
      String value = "0123456789abcdef".repeat((Shortcut.MAX_BYTES - 1_000) / 16);
      for (int i = 0; i < 5; i++) {
        becomeAlone(sheaf);
        reader.pause();
        RedisFuture<String> written = sheaf.async().set("large" + i, value);
        RedisFuture<String> read = sheaf.async().get("large" + i);
        reader.goOn();
        assertThat(written.get(20, TimeUnit.SECONDS)).isEqualTo("OK");
        assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo(value);
      }
    }
  }

  /** Bytes of one request in the middle of another would be the end of both. */
  @Test
  void callerBehindAHalfWrittenRequest_leavesItToTheEventLoop() throws Exception {
    sockets.prepare = channel -> channel.config().setOption(ChannelOption.SO_SNDBUF, 4_096);
    try (SlowReader reader = new SlowReader(server.port());
        Sheaf<String, String> sheaf = connect(reader.port())) {
      becomeAlone(sheaf);
      RedisFuture<KeyValue<String, String>> popped = sheaf.async().blpop(30, "list");
      Await.until(
          "BLPOP to wait",
          SOON,
          () -> observer.sync().info("clients").contains("blocked_clients:1"));
      reader.pause();
      String message = "0123456789abcdef".repeat(2_500);
      AsyncCommand<String, String, String> halfWritten = echo(message);
      sockets.current().writeAndFlush(halfWritten);
      observer.sync().rpush("list", "element");
      assertThat(popped.get(20, TimeUnit.SECONDS).getValue()).isEqualTo("element");
      RedisFuture<String> behind = sheaf.async().echo("behind");
      reader.goOn();
      assertThat(halfWritten.get(20, TimeUnit.SECONDS)).isEqualTo(message);
      assertThat(behind.get(20, TimeUnit.SECONDS)).isEqualTo("behind");
    }
  }

  /** Lettuce has commands of its own, such as those that renew a login. */
  @Test
  void commandsPastTheQueue_getTheirOwnReplies() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.port())) {
      becomeAlone(sheaf);
      AtomicBoolean over = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread past =
          new Thread(
              () -> {
                try {
                  for (int i = 0; !over.get(); i++) {
                    AsyncCommand<String, String, String> echo = echo("past" + i);
                    sockets.current().writeAndFlush(echo);
                    assertThat(echo.get(20, TimeUnit.SECONDS)).isEqualTo("past" + i);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      past.start();
      try {
        for (int i = 0; i < 20_000 && failure.get() == null; i++) {
          assertThat(sheaf.sync().echo("queued" + i)).isEqualTo("queued" + i);
        }
      } finally {
        over.set(true);
        past.join();
      }
      assertThat(failure.get()).isNull();
    }
  }

  private static AsyncCommand<String, String, String> echo(String message) {
    return new AsyncCommand<>(
        new Command<>(
            CommandType.ECHO,
            new ValueOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).add(message)));
  }

  /**
   * Replies of many come together from afar: what the first ask next is written before the last
   * have theirs, but never before what was asked earlier.
   */
  @Test
  void fromAfar_whatTheFirstAskNextIsWritten_beforeTheLastAreAnswered() throws Exception {
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target("127.0.0.1", server.port())
                .oneWayDelay(Duration.ofMillis(1))
                .start();
        Sheaf<String, String> sheaf = connect(proxy.port())) {
      observer.sync().rpush("list", "element");
      for (int i = 0; i < 64; i++) {
        observer.sync().set("key" + i, "value" + i);
      }
      List<RedisFuture<String>> reads = new ArrayList<>();
      CompletableFuture<RedisFuture<String>> next = new CompletableFuture<>();
      CompletableFuture<Boolean> seen = new CompletableFuture<>();
      sheaf.standalone().setAutoFlushCommands(false);
      RedisFuture<String> wrongType = sheaf.async().get("list");
      for (int i = 0; i < 64; i++) {
        reads.add(sheaf.async().get("key" + i));
      }
      reads
          .get(0)
          .thenRun(
              () -> {
                sheaf.standalone().setAutoFlushCommands(true);
                sheaf.async().set("list", "overwritten");
                next.complete(sheaf.async().set("next", "asked"));
              });
      reads
          .get(63)
          .thenRun(() -> seen.complete(within(SOON, () -> observer.sync().get("next") != null)));
      sheaf.standalone().flushCommands();
      assertThat(seen.get(40, TimeUnit.SECONDS)).isTrue();
      assertThat(next.get().get(20, TimeUnit.SECONDS)).isEqualTo("OK");
      assertThatThrownBy(() -> wrongType.get(20, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasMessageContaining("WRONGTYPE");
      for (int i = 0; i < 64; i++) {
        assertThat(reads.get(i).get()).isEqualTo("value" + i);
      }
    }
  }

  private Sheaf<String, String> connect(int port) {
    return Sheaf.builder("redis://127.0.0.1:" + port).clientResources(sockets.resources).connect();
  }

  private LatencyProxy proxy() {
    return LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  }

  /** Alone is who has come one by one for long enough. */
  private static void becomeAlone(Sheaf<String, String> sheaf) {
    for (int i = 0; i < 2 * NodePipeline.LONE_CALLS; i++) {
      sheaf.sync().echo("alone");
    }
  }

  private void awaitValue(String key, String value) {
    Await.until(key + " to be written", SOON, () -> value.equals(observer.sync().get(key)));
  }

  private static boolean within(Duration time, BooleanSupplier condition) {
    try {
      Await.until("it", time, condition::getAsBoolean);
      return true;
    } catch (AssertionError late) {
      return false;
    }
  }

  /** The sockets of a client, the last of which is in use. */
  private static final class Sockets {

    private final BlockingDeque<Channel> opened = new LinkedBlockingDeque<>();
    private volatile Consumer<Channel> prepare = channel -> {};

    private final ClientResources resources =
        ClientResources.builder()
            .ioThreadPoolSize(2)
            .nettyCustomizer(
                new NettyCustomizer() {
                  @Override
                  public void afterChannelInitialized(Channel channel) {
                    prepare.accept(channel);
                    opened.add(channel);
                  }
                })
            .build();

    Channel current() {
      return opened.getLast();
    }

    /** Holds up the event loop of the current socket until the result is asked to go on. */
    HeldUp holdUp() throws InterruptedException {
      HeldUp heldUp = new HeldUp();
      current().eventLoop().execute(heldUp);
      assertThat(heldUp.reached.await(20, TimeUnit.SECONDS)).isTrue();
      return heldUp;
    }
  }

  private static final class HeldUp implements Runnable, AutoCloseable {

    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch end = new CountDownLatch(1);

    @Override
    public void run() {
      reached.countDown();
      try {
        end.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void goOn() {
      end.countDown();
    }

    @Override
    public void close() {
      goOn();
    }
  }

  /** Forwards to a server, with small buffers, and takes nothing while it pauses. */
  private static final class SlowReader implements AutoCloseable {

    private static final int BUFFER_BYTES = 2_048;

    private final ServerSocket listening = new ServerSocket();
    private final int target;
    private final ReentrantLock reading = new ReentrantLock();

    SlowReader(int target) throws IOException {
      this.target = target;
      listening.setReceiveBufferSize(BUFFER_BYTES);
      listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      start(this::accept);
    }

    int port() {
      return listening.getLocalPort();
    }

    void pause() {
      reading.lock();
    }

    void goOn() {
      reading.unlock();
    }

    private void accept() throws IOException {
      while (true) {
        Socket client = listening.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        start(() -> forward(client.getInputStream(), server.getOutputStream(), reading));
        start(
            () -> forward(server.getInputStream(), client.getOutputStream(), new ReentrantLock()));
      }
    }

    private static void forward(InputStream from, OutputStream to, ReentrantLock allowed)
        throws IOException {
      byte[] bytes = new byte[BUFFER_BYTES];
      int read;
      while ((read = from.read(bytes)) >= 0) {
        allowed.lock();
        try {
          to.write(bytes, 0, read);
        } finally {
          allowed.unlock();
        }
      }
    }

    private interface Work {
      void run() throws IOException;
    }

    private static void start(Work work) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  work.run();
                } catch (IOException closed) {
                  // The test is over.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      listening.close();
    }
  }
}
