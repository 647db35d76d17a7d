// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.internal.lettuce.DrivenEventLoop;
import dev.sheaf.internal.pipeline.PendingQueue.Chain;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.RespConnection;
import dev.sheaf.testkit.StreamingCredentials;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.ReauthenticateBehavior;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Further connections for a few blocking readers, and what must not take them. */
@Timeout(180)
class LanesTest {

  private static final int READERS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private EmbeddedServer server;
  private RespConnection observer;

  @BeforeEach
  void start() throws Exception {
    server = EmbeddedServer.start();
    observer = RespConnection.open("127.0.0.1", server.port());
  }

  @AfterEach
  void stop() throws Exception {
    observer.close();
    server.close();
  }

  /** How many connections there are beside the observer's. */
  private long connections() throws Exception {
    return observer.text("CLIENT", "LIST").lines().filter(l -> l.contains("id=")).count() - 1;
  }

  private Sheaf<String, String> connect(int maxLanes) {
    return Sheaf.builder(server.uri())
        .batching(BatchingOptions.builder().maxLanes(maxLanes).build())
        .connect();
  }

  /** Reads by several threads at once until a condition holds. */
  private static void readUntil(Sheaf<String, String> sheaf, String what, Condition condition)
      throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      String key = "key:" + i;
      String value = "value:" + i;
      sheaf.sync().set(key, value);
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (!over.get()) {
                    assertThat(sheaf.sync().get(key)).isEqualTo(value);
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      readers.add(reader);
      reader.start();
    }
    try {
      Await.until(what, PATIENCE, condition::holds);
    } finally {
      over.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
    }
    assertThat(failure).hasValue(null);
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  @Test
  void readersAtOnce_getConnectionsOfTheirOwn_upToTheLimit_andCloseThem() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      assertThat(connections()).isEqualTo(1);
      readUntil(sheaf, "two lanes", () -> connections() == 3);
      readUntil(sheaf, "no third", () -> connections() == 3);
    }
    Await.until("all to be closed", PATIENCE, () -> connections() == 0);
  }

  @Test
  void writersAtOnce_getConnectionsOfTheirOwn_andEachReadsWhatItWrote() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      AtomicBoolean over = new AtomicBoolean();
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int i = 0; i < READERS; i++) {
        String key = "counter:" + i;
        CompletableFuture<Void> writer = new CompletableFuture<>();
        writers.add(writer);
        new Thread(
                () -> {
                  try {
                    for (long count = 1; !over.get(); count++) {
                      assertThat(sheaf.sync().incr(key)).isEqualTo(count);
                      assertThat(sheaf.sync().get(key)).isEqualTo(Long.toString(count));
                    }
                    writer.complete(null);
                  } catch (Throwable e) {
                    writer.completeExceptionally(e);
                  }
                })
            .start();
      }
      Await.until(
          "writes on all three",
          PATIENCE,
          () -> observer.text("CLIENT", "LIST").split("cmd=incr ", -1).length - 1 == 3);
      over.set(true);
      for (CompletableFuture<Void> writer : writers) {
        writer.get(60, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void connections_areCountedByAMeter() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .batching(BatchingOptions.builder().maxLanes(2).build())
            .meterRegistry(registry)
            .connect()) {
      Gauge gauge = registry.get("sheaf.connections").gauge();
      assertThat(gauge.value()).isEqualTo(1);
      readUntil(sheaf, "two lanes", () -> lanesOf(sheaf).drivers() == 3);
      assertThat(gauge.value()).isEqualTo(3);
      lanesOf(sheaf).closeIdle(muchLater()).join();
      Await.until("the idle ones to be closed", PATIENCE, () -> gauge.value() == 1);
    }
  }

  private static NodeWriter writerOf(Sheaf<String, String> sheaf) {
    return (NodeWriter)
        ((StatefulRedisConnectionImpl<String, String>) sheaf.standalone()).getChannelWriter();
  }

  private static Lanes lanesOf(Sheaf<String, String> sheaf) {
    return Objects.requireNonNull(writerOf(sheaf).pipeline().lanes());
  }

  /** A time by which all that is silent now has been idle for long enough. */
  private static long muchLater() {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(2L * Lanes.IDLE_SECONDS);
  }

  @Test
  void idleLanes_areClosed_andOpenedAgainWhenReadersComeAtOnce() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      Lanes lanes = lanesOf(sheaf);
      readUntil(sheaf, "two lanes", () -> lanes.drivers() == 3);
      lanes.closeIdle(System.nanoTime()).join();
      assertThat(lanes.drivers()).as("lanes that were used just now stay").isEqualTo(3);

      lanes.closeIdle(muchLater()).join();
      Await.until("the idle ones to be closed", PATIENCE, () -> connections() == 1);
      assertThat(sheaf.sync().get("key:0")).isEqualTo("value:0");
      readUntil(sheaf, "two lanes again", () -> connections() == 3);
    }
    Await.until("all to be closed", PATIENCE, () -> connections() == 0);
  }

  @Test
  void eventLoopThatHasEnded_doesNotKeepOthersFromBeingLookedAt() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      readUntil(sheaf, "two lanes", () -> lanesOf(sheaf).drivers() == 3);
      DrivenEventLoop loop = loopOfALane(sheaf);
      loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
      AtomicBoolean ran = new AtomicBoolean();
      assertThat(Lanes.runOn(loop, () -> ran.set(true))).isCompleted();
      assertThat(ran).isFalse();
    }
  }

  private static DrivenEventLoop loopOfALane(Sheaf<String, String> sheaf) {
    NodePipeline main = writerOf(sheaf).pipeline();
    AtomicReference<DrivenEventLoop> found = new AtomicReference<>();
    boolean unused =
        lanesOf(sheaf)
            .tryDrive(
                new Chain(),
                pipeline -> {
                  if (pipeline != main) {
                    found.set(pipeline.loop());
                  }
                  return false;
                });
    return Objects.requireNonNull(found.get());
  }

  @Test
  void laneThatIsClosedWhileReadersTakeIt_losesNothing() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      Lanes lanes = lanesOf(sheaf);
      AtomicLong closed = new AtomicLong();
      readUntil(
          sheaf,
          "many lanes to be closed",
          () -> {
            int before = lanes.drivers();
            lanes.closeIdle(muchLater()).join();
            return closed.addAndGet(Math.max(0, before - lanes.drivers())) >= 30;
          });
      assertThat(sheaf.sync().get("key:1")).isEqualTo("value:1");
    }
    Await.until("all to be closed", PATIENCE, () -> connections() == 0);
  }

  @Test
  void laneThatIsBeingOpened_isClosedOnceThatIsOver_orTakesTooLong() {
    try (Sheaf<String, String> sheaf = connect(0)) {
      for (boolean answered : List.of(true, false)) {
        AtomicReference<Runnable> tooLong = new AtomicReference<>();
        CompletableFuture<NodePipeline> opening = new CompletableFuture<>();
        AtomicLong closings = new AtomicLong();
        Lanes lanes =
            new Lanes(
                writerOf(sheaf).pipeline(),
                () -> 1,
                new WriteClock(),
                (task, nanos) -> {
                  tooLong.set(task);
                  return true;
                },
                () ->
                    new Lanes.Opening(
                        opening,
                        () -> {
                          closings.incrementAndGet();
                          return CompletableFuture.completedFuture(null);
                        }));
        miss(lanes, 1);
        CompletableFuture<Void> closed = lanes.closeAsync();
        assertThat(closings).as("in the middle of the handshake").hasValue(0);
        assertThat(closed).isNotDone();
        if (answered) {
          opening.completeExceptionally(new IllegalStateException("on purpose"));
        } else {
          tooLong.get().run();
        }
        assertThat(closed).isCompleted();
        assertThat(closings).hasValue(1);
      }
    }
  }

  /** Has readers find no free lane so often that that many more would be opened. */
  private static void miss(Lanes lanes, int more) {
    for (int i = 0; i < more * Lanes.MISSES_PER_LANE; i++) {
      lanes.missed(2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 7, 64})
  void lanes_areAtMostAsManyAsTheOptionAllows(int maxLanes) {
    try (Sheaf<String, String> main = connect(0);
        Sheaf<String, String> lane = connect(0)) {
      AtomicLong opened = new AtomicLong();
      Lanes lanes =
          new Lanes(
              writerOf(main).pipeline(),
              () -> maxLanes,
              new WriteClock(),
              (task, nanos) -> true,
              () -> {
                opened.incrementAndGet();
                return new Lanes.Opening(
                    CompletableFuture.completedFuture(writerOf(lane).pipeline()),
                    () -> CompletableFuture.completedFuture(null));
              });
      lanes.connected(socketOf(main));
      miss(lanes, 100);
      assertThat(opened).hasValue(maxLanes);
      assertThat(lanes.drivers()).isEqualTo(1 + maxLanes);
    }
  }

  private static NodeChannel socketOf(Sheaf<String, String> sheaf) {
    return Objects.requireNonNull(writerOf(sheaf).pipeline().channel());
  }

  @Test
  void laneToAnotherServer_isClosedUnused_andTheNextIsOpenedAfterAPause() {
    try (EmbeddedServer other = EmbeddedServer.start();
        Sheaf<String, String> main = connect(0);
        Sheaf<String, String> lane = Sheaf.connect(other.uri())) {
      AtomicLong opened = new AtomicLong();
      AtomicLong closed = new AtomicLong();
      AtomicReference<Runnable> afterPause = new AtomicReference<>();
      Lanes lanes =
          new Lanes(
              writerOf(main).pipeline(),
              () -> 7,
              new WriteClock(),
              (task, nanos) -> {
                if (nanos == TimeUnit.SECONDS.toNanos(Lanes.RETRY_SECONDS)) {
                  afterPause.set(task);
                }
                return true;
              },
              () -> {
                opened.incrementAndGet();
                return new Lanes.Opening(
                    CompletableFuture.completedFuture(writerOf(lane).pipeline()),
                    () -> {
                      closed.incrementAndGet();
                      return CompletableFuture.completedFuture(null);
                    });
              });
      lanes.connected(socketOf(main));
      miss(lanes, 100);
      assertThat(opened).hasValue(1);
      assertThat(closed).hasValue(1);
      assertThat(lanes.drivers()).isEqualTo(1);
      afterPause.get().run();
      miss(lanes, 100);
      assertThat(opened).hasValue(2);
    }
  }

  @Test
  void readsOfALaneThatIsLost_areAnsweredOnTheMainConnection() throws Exception {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> main = connect(0);
        Sheaf<String, String> lane = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      main.sync().set("key", "value");
      CompletableFuture<Boolean> ended = new CompletableFuture<>();
      writerOf(lane)
          .pipeline()
          .laneOf(
              writerOf(main).pipeline(),
              () -> writerOf(lane).closeAsync().whenComplete((none, e) -> ended.complete(true)));
      proxy.pauseToServer(true);
      CompletionStage<String> read = lane.async().get("key");
      CompletionStage<List<KeyValue<String, String>>> several = lane.async().mget("key", "none");
      proxy.refuse(true);
      proxy.dropConnections();

      assertThat(read.toCompletableFuture().get(60, TimeUnit.SECONDS)).isEqualTo("value");
      assertThat(several.toCompletableFuture().get(60, TimeUnit.SECONDS))
          .containsExactly(KeyValue.just("key", "value"), KeyValue.empty("none"));
      assertThat(ended.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(lane.async().get("key").toCompletableFuture().get(60, TimeUnit.SECONDS))
          .as("of a caller that found the lane open")
          .isEqualTo("value");
    }
  }

  @Test
  void withoutLanes_oneConnectionServesAll() throws Exception {
    try (Sheaf<String, String> sheaf = connect(0)) {
      AtomicLong looks = new AtomicLong();
      readUntil(sheaf, "many looks", () -> connections() == 1 && looks.incrementAndGet() > 1_000);
      assertThat(connections()).isEqualTo(1);
    }
  }

  @Test
  void questionsAboutTheConnection_areAskedOnTheMainOne_andLanesAreUsedAsBefore() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      RedisClusterCommands<String, String> redis = sheaf.sync();
      long id = redis.clientId();
      assertThat(redis.clientSetname("named")).isEqualTo("OK");
      assertThat(redis.clientInfo()).contains("id=" + id + " ");
      assertThat(redis.clientList()).contains("name=named");
      readUntil(sheaf, "two lanes", () -> connections() == 3);
      readUntil(
          sheaf,
          "reads on all three",
          () -> {
            assertThat(redis.clientId()).isEqualTo(id);
            assertThat(redis.clientGetname()).isEqualTo("named");
            assertThat(redis.clientInfo()).contains("id=" + id + " ");
            return observer.text("CLIENT", "LIST").split("cmd=get ", -1).length - 1 == 3;
          });
    }
  }

  @Test
  void anotherDatabase_isReadWhereItWasSelected() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      readUntil(sheaf, "two lanes", () -> connections() == 3);
      sheaf.standalone().sync().select(1);
      sheaf.sync().set("key:0", "of database 1");
      for (int i = 0; i < 1_000; i++) {
        assertThat(sheaf.sync().get("key:0")).isEqualTo("of database 1");
      }
    }
  }

  @Test
  void renewedCredentials_areThoseOfAllConnections_soThatLanesAreStillUsed() throws Exception {
    observer.text("ACL", "SETUSER", "shop", "on", ">first", "~*", "+@all");
    observer.text("ACL", "SETUSER", "renewed", "on", ">second", "~*", "+@all");
    StreamingCredentials credentials =
        new StreamingCredentials(RedisCredentials.just("shop", "first"));
    RedisURI uri = RedisURI.create("redis://127.0.0.1:" + server.port());
    uri.setCredentialsProvider(credentials);
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(List.of(uri))
            .clientOptions(
                ClientOptions.builder()
                    .reauthenticateBehavior(ReauthenticateBehavior.ON_NEW_CREDENTIALS)
                    .build())
            .batching(BatchingOptions.builder().maxLanes(2).build())
            .connect()) {
      Lanes lanes = lanesOf(sheaf);
      readUntil(sheaf, "two lanes", () -> lanes.drivers() == 3);
      credentials.renew(RedisCredentials.just("renewed", "second"));
      readUntil(
          sheaf,
          "the renewed user everywhere",
          () -> observer.text("CLIENT", "LIST").split("user=renewed", -1).length - 1 == 3);
      lanes.closeIdle(muchLater()).join();
      readUntil(sheaf, "two lanes again", () -> lanes.drivers() == 3);

      assertThat(sheaf.standalone().sync().auth("shop", "first")).isEqualTo("OK");
      lanes.closeIdle(muchLater()).join();
      AtomicLong looks = new AtomicLong();
      readUntil(sheaf, "many looks", () -> looks.incrementAndGet() > 1_000);
      assertThat(lanes.drivers()).isEqualTo(1);
      assertThat(sheaf.sync().aclWhoami()).as("the application's own choice").isEqualTo("shop");
    }
  }

  /** The guard cannot open its own connection again, and nothing is read on the main one. */
  @Test
  void repliesOnALane_tellTheGuardThatTheServerAnswers() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .batching(BatchingOptions.builder().maxLanes(2).build())
                .connect()) {
      readUntil(sheaf, "two lanes", () -> connections() == 3);
      Set<String> others = connectionIds();
      Availability<String> guard = sheaf.availability().withTimeout(PATIENCE);
      guard.ping();
      Set<String> ofGuard = connectionIds();
      ofGuard.removeAll(others);
      assertThat(ofGuard).hasSize(1);
      Thread reader = readerOnALane(sheaf, 2, over);
      try {
        proxy.refuse(true);
        observer.call("CLIENT", "KILL", "ID", ofGuard.iterator().next());
        // Each of them fails with an attempt to connect.
        for (int attempt = 0; attempt < 3; attempt++) {
          assertThatThrownBy(guard::ping).isInstanceOf(UnavailableException.class);
        }
        Await.until("UP", PATIENCE, () -> guard.status().state() == AvailabilityState.UP);
      } finally {
        over.set(true);
        reader.join();
      }
    }
  }

  private Set<String> connectionIds() throws Exception {
    return observer
        .text("CLIENT", "LIST")
        .lines()
        .map(line -> line.replaceAll("^id=(\\d+) .*", "$1"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  /** Starts a thread that reads and prefers a lane to the main connection. */
  private static Thread readerOnALane(Sheaf<String, String> sheaf, int lanes, AtomicBoolean over)
      throws Exception {
    while (true) {
      CompletableFuture<Boolean> prefersALane = new CompletableFuture<>();
      Thread reader =
          new Thread(
              () -> {
                prefersALane.complete(Lanes.cellOfThread() % (lanes + 1) != 0);
                while (prefersALane.join() && !over.get()) {
                  sheaf.sync().get("key:0");
                }
              });
      reader.start();
      if (prefersALane.get(60, TimeUnit.SECONDS)) {
        return reader;
      }
    }
  }

  @Test
  void readInATransaction_isPartOfIt() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      readUntil(sheaf, "two lanes", () -> connections() == 3);
      for (int i = 0; i < 100; i++) {
        sheaf.standalone().sync().multi();
        assertThat(sheaf.sync().get("key:0")).isNull();
        TransactionResult result = sheaf.standalone().sync().exec();
        assertThat(result.<String>get(0)).isEqualTo("value:0");
        assertThat(sheaf.sync().get("key:1")).isEqualTo("value:1");
      }
    }
  }

  @Test
  void readAfterAnUnansweredWriteOfTheSameThread_seesIt() throws Exception {
    try (Sheaf<String, String> sheaf = connect(2)) {
      readUntil(sheaf, "two lanes", () -> connections() == 3);
      for (int i = 0; i < 5_000; i++) {
        sheaf.async().set("key:0", "write:" + i);
        assertThat(sheaf.sync().get("key:0")).isEqualTo("write:" + i);
      }
    }
  }
}
