// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingClient;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RespConnection;
import dev.sheaf.testkit.VirtualThreads;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/** Callers that drive the event loop while they wait, and those that must not. */
@Timeout(180)
class DrivenEventLoopTest {

  /** Far more calls than a caller needs until the keeper has left it the event loop. */
  private static final int MANY = 100_000;

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A value that the codec cannot encode. */
  private static final String REFUSED = "refused";

  private EmbeddedServer server;

  /** The threads on which values were decoded. */
  private final Set<Thread> decoding = ConcurrentHashMap.newKeySet();

  private final RedisCodec<String, String> codec =
      new RedisCodec<>() {
        @Override
        public String decodeKey(ByteBuffer bytes) {
          return StringCodec.UTF8.decodeKey(bytes);
        }

        @Override
        public String decodeValue(ByteBuffer bytes) {
          decoding.add(Thread.currentThread());
          return StringCodec.UTF8.decodeValue(bytes);
        }

        @Override
        public ByteBuffer encodeKey(String key) {
          return StringCodec.UTF8.encodeKey(key);
        }

        @Override
        public ByteBuffer encodeValue(String value) {
          if (value.equals(REFUSED)) {
            throw new IllegalArgumentException("refused by the codec");
          }
          return StringCodec.UTF8.encodeValue(value);
        }
      };

  @BeforeEach
  void start() {
    server = EmbeddedServer.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private Sheaf<String, String> connect(String uri) {
    return Sheaf.builder(uri).codec(codec).batching(BatchingOptions.defaults()).connect();
  }

  /** Calls until the calling thread has read a reply itself. */
  private void callUntilDriving(Sheaf<String, String> sheaf) {
    for (int i = 0; i < MANY && !decoding.contains(Thread.currentThread()); i++) {
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
    }
    assertThat(decoding).contains(Thread.currentThread());
  }

  @Test
  void loneCaller_readsItsReplyItself() {
    try (Sheaf<String, String> sheaf = connect(server.uri())) {
      sheaf.sync().set("key", "value");
      callUntilDriving(sheaf);
    }
  }

  @Test
  void threadOfAPool_mayReadItsReplyItself() throws Exception {
    ForkJoinPool pool = new ForkJoinPool(1);
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).codec(codec).yielding(true).connect()) {
      sheaf.sync().set("key", "value");
      pool.submit(() -> callUntilDriving(sheaf)).get();
    } finally {
      pool.shutdown();
    }
  }

  /** None on a JVM without virtual threads. */
  @TestFactory
  Stream<DynamicTest> virtualThread_mayReadItsReplyItself() {
    return VirtualThreads.exist()
        ? Stream.of(DynamicTest.dynamicTest("virtual thread", this::readsItsReplyItself))
        : Stream.empty();
  }

  private void readsItsReplyItself() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.uri())) {
      sheaf.sync().set("key", "value");
      FutureTask<Void> calls = new FutureTask<>(() -> callUntilDriving(sheaf), null);
      VirtualThreads.unstarted(calls).start();
      calls.get();
    }
  }

  @Test
  void replyToAFuture_isNeverReadByABlockedCaller() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.uri())) {
      assertNoCallbackRunsOnABlockedCaller(sheaf, 2_000, false, () -> sheaf.async().get("key"));
    }
  }

  @Test
  void loneCallerOfACluster_readsItsRepliesItself() {
    try (EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = connect(cluster.uri())) {
      sheaf.sync().set("key", "value");
      callUntilDriving(sheaf);
      decoding.clear();
      for (int i = 0; i < MANY && !decoding.equals(Set.of(Thread.currentThread())); i++) {
        decoding.clear();
        // Of several nodes.
        assertThat(sheaf.getAll(List.of("key", "another", "third"))).hasSize(3);
      }
      assertThat(decoding).containsExactly(Thread.currentThread());
    }
  }

  @Test
  void driverThatIsRedirected_getsItsReplyFromTheOtherNode() {
    try (EmbeddedServer cluster = EmbeddedServer.builder().cluster(2, 0).start();
        Sheaf<String, String> sheaf = connect(cluster.uri())) {
      sheaf.sync().set("key", "value");
      int slot = SlotHash.getSlot("key");
      EmbeddedNode owner = cluster.nodes().get(cluster.nodes().get(0).slots().get(slot) ? 0 : 1);
      for (int i = 0; i < 4; i++) {
        decoding.clear();
        callUntilDriving(sheaf);
        EmbeddedNode next = cluster.nodes().get(cluster.nodes().indexOf(owner) == 0 ? 1 : 0);
        cluster.migrateSlot(slot, owner, next);
        owner = next;
        if (i % 2 == 0) {
          assertThat(sheaf.sync().get("key")).isEqualTo("value");
        } else {
          assertThat(sheaf.getAll(List.of("key")).get("key").orNull()).isEqualTo("value");
        }
      }
    }
  }

  @Test
  void futureOfACommandWithoutKey_isNeverCompletedByABlockedCallerOfTheCluster() throws Exception {
    try (EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = connect(cluster.uri())) {
      assertNoCallbackRunsOnABlockedCaller(sheaf, 2_000, false, () -> sheaf.async().ping());
      // Few, as Lettuce closes the socket then.
      assertNoCallbackRunsOnABlockedCaller(sheaf, 20, true, () -> sheaf.async().echo(REFUSED));
      callUntilDriving(sheaf);
    }
  }

  /** Calls asynchronously while another thread blocks, and drives. */
  private void assertNoCallbackRunsOnABlockedCaller(
      Sheaf<String, String> sheaf, int calls, boolean fails, Supplier<RedisFuture<String>> call)
      throws Exception {
    sheaf.sync().set("key", "value");
    AtomicBoolean over = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread blocked =
        new Thread(
            () -> {
              try {
                while (!over.get()) {
                  assertThat(sheaf.sync().get("key")).isEqualTo("value");
                }
              } catch (Throwable e) {
                failure.set(e);
              }
            });
    blocked.start();
    Await.until(
        "the blocked caller to drive",
        PATIENCE,
        () -> decoding.contains(blocked) || failure.get() != null);
    Set<Thread> callbacks = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < calls; i++) {
      CompletableFuture<Boolean> failed = new CompletableFuture<>();
      call.get()
          .whenComplete(
              (value, error) -> {
                callbacks.add(Thread.currentThread());
                failed.complete(error != null);
              });
      assertThat(failed.get(60, TimeUnit.SECONDS)).isEqualTo(fails);
    }
    over.set(true);
    blocked.join();
    assertThat(failure).hasValue(null);
    assertThat(callbacks).isNotEmpty().doesNotContain(blocked);
  }

  @Test
  void listenersOfPushes_runInOrder_andNeverOnACallerThatDrives() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.uri());
        RespConnection writer = RespConnection.open("127.0.0.1", server.port())) {
      StatefulRedisConnection<String, String> connection = sheaf.standalone();
      Set<Thread> listening = ConcurrentHashMap.newKeySet();
      Queue<String> invalidated = new ConcurrentLinkedQueue<>();
      connection.addListener(
          message -> {
            listening.add(Thread.currentThread());
            List<?> keys = (List<?>) message.getContent(codec::decodeKey).get(1);
            keys.forEach(key -> invalidated.add((String) key));
          });
      connection.sync().clientTracking(TrackingArgs.Builder.enabled().bcast());
      sheaf.sync().set("key", "value");
      callUntilDriving(sheaf);
      List<String> written = new ArrayList<>();
      invalidated.clear();
      for (int i = 0; i < 500; i++) {
        writer.call("SET", "other:" + i, "value");
        written.add("other:" + i);
        assertThat(sheaf.sync().get("key")).isEqualTo("value");
      }
      Await.until("the pushes", PATIENCE, () -> invalidated.size() >= written.size());
      assertThat(invalidated).containsSubsequence(written);
      assertThat(listening).isNotEmpty().doesNotContain(Thread.currentThread());
      decoding.clear();
      callUntilDriving(sheaf);
    }
  }

  @Test
  void listenersOfPubSub_leaveTheEventLoopToCallers_andNeverRunOnThem() throws Exception {
    ClientResources resources = ClientResources.create();
    RedisClient client = null;
    try (BatchingClient batching =
        Sheaf.builder(server.uri())
            .clientResources(resources)
            .batching(BatchingOptions.builder().maxLanes(0).build())
            .serverClient()) {
      client = (RedisClient) batching.lettuce();
      StatefulRedisPubSubConnection<String, String> messages = client.connectPubSub();
      StatefulRedisConnection<String, String> connection = client.connect(codec);
      Set<Thread> listening = ConcurrentHashMap.newKeySet();
      AtomicInteger received = new AtomicInteger();
      messages.addListener(
          new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
              listening.add(Thread.currentThread());
              received.incrementAndGet();
            }
          });
      messages.sync().subscribe("news");
      try (Sheaf<String, String> sheaf = batching.over(connection, codec);
          RespConnection publisher = RespConnection.open("127.0.0.1", server.port())) {
        sheaf.sync().set("key", "value");
        callUntilDriving(sheaf);
        for (int i = 0; i < 200; i++) {
          publisher.call("PUBLISH", "news", "message");
          assertThat(sheaf.sync().get("key")).isEqualTo("value");
        }
        Await.until("the messages", PATIENCE, () -> received.get() == 200);
        publisher.call("CLIENT", "KILL", "TYPE", "pubsub");
        Await.until(
            "a message on the next socket",
            PATIENCE,
            () -> {
              publisher.call("PUBLISH", "news", "message");
              return received.get() > 200;
            });
        decoding.clear();
        callUntilDriving(sheaf);
        assertThat(listening).isNotEmpty().doesNotContain(Thread.currentThread());
      }
    } finally {
      if (client != null) {
        client.shutdown(Duration.ZERO, PATIENCE);
      }
      resources.shutdown(0, 60, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void interruptedDriver_staysInterrupted_andOthersGoOn() throws Exception {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf = connect("redis://127.0.0.1:" + proxy.port())) {
      sheaf.sync().set("key", "value");
      AtomicReference<Object> seen = new AtomicReference<>();
      AtomicBoolean driving = new AtomicBoolean();
      Thread driver =
          new Thread(
              () -> {
                callUntilDriving(sheaf);
                driving.set(true);
                Await.until("the way to be blocked", PATIENCE, () -> !driving.get());
                try {
                  seen.set(sheaf.sync().get("key"));
                } catch (RedisCommandInterruptedException e) {
                  seen.set(Thread.currentThread().isInterrupted());
                }
              });
      driver.start();
      Await.until("the caller to drive", PATIENCE, driving::get);
      proxy.pauseToServer(true);
      driving.set(false);
      Await.until("the GET to be sent", PATIENCE, () -> proxy.stats().bytesInFlight() > 0);
      driver.interrupt();
      driver.join();
      assertThat(seen).hasValue(true);
      proxy.pauseToServer(false);
      assertThat(sheaf.sync().get("key")).isEqualTo("value");
      assertThat(sheaf.async().get("key").get(60, TimeUnit.SECONDS)).isEqualTo("value");
    }
  }

  @Test
  void socketLostWhileNobodyCalls_isNoticed() throws Exception {
    try (Sheaf<String, String> sheaf = connect(server.uri());
        RespConnection other = RespConnection.open("127.0.0.1", server.port())) {
      sheaf.sync().set("key", "value");
      callUntilDriving(sheaf);
      boolean wasOpen = sheaf.standalone().isOpen();
      other.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      Await.until("the new socket", PATIENCE, () -> sheaf.sync().get("key").equals("value"));
      assertThat(wasOpen).isTrue();
    }
  }

  @Test
  void closedClient_endsTheWaitOfItsDriver() throws Exception {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start()) {
      Sheaf<String, String> sheaf = connect("redis://127.0.0.1:" + proxy.port());
      sheaf.sync().set("key", "value");
      AtomicReference<Object> seen = new AtomicReference<>();
      AtomicBoolean ready = new AtomicBoolean();
      Thread driver =
          new Thread(
              () -> {
                callUntilDriving(sheaf);
                ready.set(true);
                Await.until("the way to be blocked", PATIENCE, () -> !ready.get());
                try {
                  seen.set(sheaf.sync().get("key"));
                } catch (RuntimeException e) {
                  seen.set(e);
                }
              });
      driver.start();
      Await.until("the caller to drive", PATIENCE, ready::get);
      proxy.pauseToServer(true);
      ready.set(false);
      Await.until("the GET to be sent", PATIENCE, () -> proxy.stats().bytesInFlight() > 0);
      sheaf.close();
      driver.join();
      assertThat(seen.get()).isInstanceOf(RuntimeException.class);
    }
  }

  @Test
  void taskOfAnotherThread_runsWhileACallerDrives() throws Exception {
    DrivenEventLoopGroup group =
        new DrivenEventLoopGroup(
            1, 0, NioIoHandler.newFactory(), new DefaultThreadFactory("driven", true));
    try {
      DrivenEventLoop loop = (DrivenEventLoop) group.next();
      CompletableFuture<Void> done = new CompletableFuture<>();
      AtomicReference<Thread> ranOn = new AtomicReference<>();
      Thread driver =
          new Thread(
              () -> {
                loop.wantDriver();
                Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
                try {
                  loop.drive(done, System.nanoTime() + Duration.ofMinutes(1).toNanos(), 0);
                } finally {
                  loop.leave();
                }
              });
      driver.start();
      Await.until("the driver", PATIENCE, () -> loop.inEventLoop(driver));
      loop.execute(
          () -> {
            ranOn.set(Thread.currentThread());
            done.complete(null);
          });
      driver.join();
      assertThat(ranOn).hasValue(driver);
      AtomicInteger late = new AtomicInteger();
      loop.schedule(late::incrementAndGet, 1, TimeUnit.MILLISECONDS).get();
      assertThat(late).hasValue(1);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
    for (EventExecutor ended : group) {
      assertThatThrownBy(() -> ended.execute(() -> {}))
          .isInstanceOf(java.util.concurrent.RejectedExecutionException.class);
    }
  }

  @Test
  void driverWhoseFutureAnotherThreadCompletes_isWoken() throws Exception {
    assertWakesDriver(new CompletableFuture<>());
  }

  /** A command wakes the driver itself. */
  @Test
  void driverWhoseCommandAnotherThreadCompletes_isWoken() throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertWakesDriver(sheaf.async().blpop(0, "never").toCompletableFuture());
    }
  }

  private static <T> void assertWakesDriver(CompletableFuture<T> done) throws Exception {
    DrivenEventLoopGroup group =
        new DrivenEventLoopGroup(
            1, 0, NioIoHandler.newFactory(), new DefaultThreadFactory("driven", true));
    try {
      DrivenEventLoop loop = (DrivenEventLoop) group.next();
      Thread driver =
          new Thread(
              () -> {
                loop.wantDriver();
                Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
                try {
                  loop.drive(done, System.nanoTime() + Duration.ofHours(1).toNanos(), 0);
                } finally {
                  loop.leave();
                }
              });
      driver.start();
      Await.until("the driver", PATIENCE, () -> loop.inEventLoop(driver));
      Await.until("the selector", PATIENCE, () -> isInSelector(driver));
      // Its caller's frames would be taken for what keeps the loop busy.
      assertThat(loop.ownerStack())
          .isNotEmpty()
          .noneMatch(
              frame ->
                  frame
                      .getClassName()
                      .startsWith("dev.sheaf.internal.lettuce.DrivenEventLoopTest"));
      done.complete(null);
      driver.join(PATIENCE.toMillis());
      assertThat(driver.isAlive()).isFalse();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  private static boolean isInSelector(Thread thread) {
    for (StackTraceElement frame : thread.getStackTrace()) {
      if (frame.getMethodName().equals("doSelect")) {
        return true;
      }
    }
    return false;
  }

  @Test
  void loopThatIsHeld_isNotDriven() throws Exception {
    DrivenEventLoopGroup group =
        new DrivenEventLoopGroup(
            1, 0, NioIoHandler.newFactory(), new DefaultThreadFactory("driven", true));
    try {
      DrivenEventLoop loop = (DrivenEventLoop) group.next();
      loop.submit(loop::hold).sync();
      loop.wantDriver();
      loop.submit(() -> {}).sync();
      assertThat(loop.tryDrive()).isFalse();
      loop.submit(loop::release).sync();
      Await.until("the keeper to leave", PATIENCE, loop::tryDrive);
      loop.leave();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void loopsForSocketsInTurn_areTheDrivenOnes_andAllEndWithTheirGroup() throws Exception {
    DrivenEventLoopGroup group =
        new DrivenEventLoopGroup(
            2, 1, NioIoHandler.newFactory(), new DefaultThreadFactory("driven", true));
    EventLoopGroup undriven = group.undriven();
    try {
      Set<EventExecutor> inTurn = ConcurrentHashMap.newKeySet();
      for (int i = 0; i < 100; i++) {
        inTurn.add(group.next());
      }
      assertThat(inTurn).hasSize(2).allMatch(DrivenEventLoop.class::isInstance);
      assertThat(undriven).isNotNull().isNotInstanceOf(DrivenEventLoop.class);
      assertThat(undriven.submit(() -> "done").get(60, TimeUnit.SECONDS)).isEqualTo("done");
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
    assertThat(undriven.isTerminated()).isTrue();
  }

  @Test
  void threadsOfPoolsThatCountBlockedThreads_doNotDrive() throws Exception {
    assertThat(DrivenEventLoop.mayDrive()).isTrue();
    ForkJoinPool pool = new ForkJoinPool(1);
    try {
      assertThat(pool.submit(DrivenEventLoop::mayDrive).get()).isFalse();
    } finally {
      pool.shutdown();
    }
  }
}
