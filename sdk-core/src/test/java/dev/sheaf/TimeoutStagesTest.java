// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.availability.HealingOptions;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.observe.Lateness;
import dev.sheaf.internal.observe.Pauses;
import dev.sheaf.internal.observe.Stage;
import dev.sheaf.testkit.Await;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.function.Supplier;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a time-out says was the matter, where something known is the matter. */
class TimeoutStagesTest {

  /** How often each fault is injected: {@code -Dsheaf.faults=170} for a thousand in all. */
  private static final int TIMES = Integer.getInteger("sheaf.faults", 2);

  private static final Duration TIMEOUT = Duration.ofMillis(300);

  private final EmbeddedServer server = EmbeddedServer.start();
  private LatencyProxy proxy;
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private Sheaf<String, String> sheaf;

  @BeforeEach
  void start() {
    proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  }

  @AfterEach
  void stop() {
    server.faults().clear();
    if (sheaf != null) {
      sheaf.close();
    }
    proxy.close();
    server.close();
  }

  private void connect(BatchingOptions options) {
    connect(options, null);
  }

  private void connect(BatchingOptions options, TimeoutOptions.@Nullable TimeoutSource timeouts) {
    if (sheaf != null) {
      sheaf.close();
    }
    SheafBuilder<String, String> builder =
        Sheaf.builder("redis://127.0.0.1:" + proxy.port())
            .batching(options)
            .commandTimeout(TIMEOUT)
            // A connection that is closed because it is silent is another reason.
            .healing(HealingOptions.builder().enabled(false).build())
            .meterRegistry(meters);
    if (timeouts != null) {
      builder.clientOptions(
          ClientOptions.builder()
              .timeoutOptions(TimeoutOptions.builder().timeoutSource(timeouts).build())
              .build());
    }
    sheaf = builder.connect();
    Await.until("a reply", Duration.ofSeconds(10), () -> sheaf.sync().set("k", "v") != null);
  }

  private static BatchingOptions.Builder options() {
    return BatchingOptions.builder().maxLanes(0);
  }

  /** The usual time-out for all but {@code INCR}, which has none. */
  private static final class EndlessIncrements extends TimeoutOptions.TimeoutSource {

    @Override
    public long getTimeout(RedisCommand<?, ?, ?> command) {
      return command.getType() == CommandType.INCR ? 0 : TIMEOUT.toMillis();
    }
  }

  @Test
  void injectedFaults_areNamed(@TempDir Path folder) throws Exception {
    Map<Stage, Integer> wrong = new EnumMap<>(Stage.class);
    List<String> said = new ArrayList<>();
    int injected = 0;
    try (Recording recording = new Recording()) {
      recording.enable("dev.sheaf.Timeout");
      recording.start();
      for (int i = 0; i < TIMES; i++) {
        for (Stage stage : Stage.values()) {
          if (stage != Stage.NOT_RUNNING) {
            Throwable failure = inject(stage);
            // A starved machine has reasons of its own, which are as true.
            for (int again = 0; again < 20 && isNamed(failure, Stage.NOT_RUNNING); again++) {
              failure = inject(stage);
            }
            injected++;
            if (!isNamed(failure, stage)) {
              wrong.merge(stage, 1, Integer::sum);
              said.add(stage.name() + ": " + failure);
            }
          }
        }
      }
      recording.stop();
      Path file = folder.resolve("timeouts.jfr");
      recording.dump(file);
      assertThat(Files.size(file)).isPositive();
      assertRecorded(RecordingFile.readAllEvents(file));
      assertThat(meters.find("sheaf.timeouts").tag("stage", "event-loop-busy").counter().count())
          .isPositive();
    }
    // A machine may do what no fault does, such as stop this JVM for a while.
    assertThat(wrong.values().stream().mapToInt(i -> i).sum())
        .as("%s", said)
        .isLessThanOrEqualTo(Math.max(2, injected / 20));
  }

  private static void assertRecorded(List<RecordedEvent> events) {
    for (Stage stage : Stage.values()) {
      if (stage != Stage.NOT_RUNNING) {
        assertThat(events)
            .anyMatch(
                event ->
                    event.getEventType().getName().equals("dev.sheaf.Timeout")
                        && stage.name().equals(event.getString("stage"))
                        && event.getLong("timeoutMillis") >= TIMEOUT.toMillis() - 1);
      }
    }
  }

  private static boolean isNamed(Throwable failure, Stage stage) {
    return stage == Stage.WAITING_FOR_ROOM
        ? failure instanceof QueueFullException
        : failure instanceof RedisCommandTimeoutException
            && failure.getMessage().contains("(" + stage + ")")
            && failure.getMessage().contains("127.0.0.1:");
  }

  private Throwable inject(Stage stage) throws Exception {
    return switch (stage) {
      case WAITING_FOR_ROOM -> whileTheQueueIsFull();
      case IN_THE_QUEUE -> behindOneThatIsUnanswered();
      case EVENT_LOOP_BUSY -> whileACallbackBlocks();
      case UNANSWERED -> whileNothingIsAnswered();
      case SERVER_SLOW -> whileOthersAreAnswered();
      case NO_CONNECTION -> withoutConnection();
      case NOT_RUNNING -> throw new IllegalArgumentException();
    };
  }

  private Throwable get() {
    return catchThrowable(() -> sheaf.sync().get("k"));
  }

  private Throwable whileTheQueueIsFull() {
    connect(
        options()
            .maxInFlightCommands(1)
            .maxInFlightBytes(1_000_000)
            .maxQueuedCommands(2)
            .maxQueuedBytes(1_000_000)
            .build(),
        new EndlessIncrements());
    proxy.pauseToClient(true);
    RedisAsyncCommands<String, String> async = sheaf.standalone().async();
    // One is written and two wait, without an end: what expires in the queue would leave room.
    for (int taken = 0; taken < 3; ) {
      if (!async.incr("a").toCompletableFuture().isCompletedExceptionally()) {
        taken++;
      }
    }
    Throwable failure = catchThrowable(() -> sheaf.sync().set("k", "v"));
    proxy.pauseToClient(false);
    return failure;
  }

  private Throwable behindOneThatIsUnanswered() {
    connect(options().maxInFlightCommands(1).maxInFlightBytes(1_000_000).build());
    proxy.pauseToClient(true);
    sheaf.standalone().async().incr("a");
    Throwable failure = get();
    proxy.pauseToClient(false);
    return failure;
  }

  private Throwable whileACallbackBlocks() throws Exception {
    connect(options().build());
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Thread caller = Thread.currentThread();
    AtomicBoolean here = new AtomicBoolean();
    do {
      here.set(false);
      sheaf
          .standalone()
          .async()
          .incr("a")
          .thenAccept(
              value -> {
                if (Thread.currentThread() == caller) {
                  here.set(true); // The reply was quicker than this thread.
                } else {
                  block(blocked, end);
                }
              });
    } while (here.get());
    blocked.await();
    Throwable failure = get();
    end.countDown();
    if (isNamed(failure, Stage.EVENT_LOOP_BUSY)) {
      assertThat(failure).hasMessageContaining("TimeoutStagesTest.block");
    }
    return failure;
  }

  private static void block(CountDownLatch blocked, CountDownLatch end) {
    blocked.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Throwable whileNothingIsAnswered() {
    connect(options().build());
    proxy.pauseToClient(true);
    Throwable failure = get();
    proxy.pauseToClient(false);
    return failure;
  }

  private Throwable whileOthersAreAnswered() {
    connect(options().build());
    server.faults().latency("incr", TIMEOUT.dividedBy(4));
    for (int i = 0; i < 10; i++) {
      sheaf.standalone().async().incr("a");
    }
    Throwable failure = get();
    server.faults().clear();
    return failure;
  }

  private Throwable withoutConnection() {
    connect(options().build());
    proxy.refuse(true);
    proxy.dropConnections();
    Throwable failure = get();
    proxy.refuse(false);
    return failure;
  }

  @Test
  void readsOfManyKeys_sayWhyToo() {
    connect(options().build());
    proxy.pauseToClient(true);
    Map<String, Result<String>> results = sheaf.getAll(List.of("k", "other"));
    proxy.pauseToClient(false);
    assertThat(results.values())
        .hasSize(2)
        .allSatisfy(
            result ->
                assertThat(((Result.Failure<String>) result).error())
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .message()
                    .matches(late("MGET was not answered by 127.0.0.1:")));
  }

  @Test
  void writesAndChecksOfManyKeys_sayWhyToo_andAreCounted() {
    List<String> keys = List.of("k", "other");
    assertLate("SET", () -> sheaf.setAll(Map.of("k", "v", "other", "v")));
    assertLate("EXISTS", () -> sheaf.existsAll(keys));
    assertLate("UNLINK", () -> sheaf.deleteAll(keys));
    assertLate("TOUCH", () -> sheaf.touchAll(keys));
  }

  private void assertLate(String command, Supplier<Map<String, Result<Boolean>>> call) {
    connect(options().build());
    double before = counted();
    proxy.pauseToClient(true);
    Map<String, Result<Boolean>> results = call.get();
    proxy.pauseToClient(false);
    assertThat(results.values())
        .hasSize(2)
        .allSatisfy(
            result ->
                assertThat(((Result.Failure<Boolean>) result).error())
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .message()
                    .matches(late(command + " was not answered by 127.0.0.1:")));
    // The count follows the end of a command, which Lettuce's timer may have brought.
    Await.until("the count", Duration.ofSeconds(60), () -> counted() >= before + 2);
    assertThat(counted() - before).isEqualTo(2);
  }

  @Test
  void commandsThatWereLate_areCountedOnceEach() {
    connect(options().build());
    proxy.pauseToClient(true);
    double before = counted();
    List<RedisFuture<String>> futures = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      futures.add(sheaf.async().get("key:" + i));
    }
    assertThat(get()).isInstanceOf(RedisCommandTimeoutException.class);
    futures.forEach(
        future ->
            assertThat(catchThrowable(() -> future.toCompletableFuture().join()))
                .hasCauseInstanceOf(RedisCommandTimeoutException.class));
    assertThat(sheaf.getAll(List.of("k", "other"))).hasSize(2);
    proxy.pauseToClient(false);
    // The count follows the end of a future. The page is one command, an MGET.
    Await.until("the count", Duration.ofSeconds(10), () -> counted() >= before + 7);
    sheaf.close();
    assertThat(counted() - before).isEqualTo(7);
  }

  /** To find their reasons must not be a reason itself. */
  @Test
  void callersThatAreLateAtOnce_haveTheReasonThatOneWouldHave() throws Exception {
    connect(options().build());
    proxy.pauseToClient(true);
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Thread caller = new Thread(() -> failures.add(get()));
      callers.add(caller);
      caller.start();
    }
    for (Thread caller : callers) {
      caller.join();
    }
    proxy.pauseToClient(false);
    assertThat(failures)
        .hasSize(callers.size())
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .message()
                    .matches(late("(" + Stage.UNANSWERED + ")")));
  }

  @Test
  void commandsThatTravelAlone_areCounted_andSayWhy() {
    connect(options().build());
    RedisAsyncCommands<String, String> async = sheaf.standalone().async();
    proxy.pauseToClient(true);
    double before = counted();
    List<RedisFuture<?>> futures = new ArrayList<>();
    futures.add(async.multi());
    futures.add(async.set("k", "v"));
    futures.add(async.get("k"));
    futures.add(async.exec());
    assertLate(futures, "was not answered by 127.0.0.1:");
    proxy.pauseToClient(false);
    Await.until("the count", Duration.ofSeconds(10), () -> counted() >= before + futures.size());
    sheaf.close();
    assertThat(counted() - before).isEqualTo(futures.size());
  }

  @Test
  void blockingCommandsOfLettucesConnection_sayWhy_andAreCounted() {
    connect(options().build());
    double before = counted();
    proxy.pauseToClient(true);
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> sheaf.standalone().sync().get("k"), () -> sheaf.standalone().sync().multi())) {
      assertThat(catchThrowable(call))
          .isInstanceOf(RedisCommandTimeoutException.class)
          .message()
          .matches(late("was not answered by 127.0.0.1:"));
    }
    proxy.pauseToClient(false);
    Await.until("the count", Duration.ofSeconds(60), () -> counted() >= before + 2);
    assertThat(counted() - before).isEqualTo(2);
  }

  @Test
  void transactionThatIsNotExecuted_saysSo() {
    connect(options().build());
    RedisAsyncCommands<String, String> async = sheaf.standalone().async();
    async.multi();
    List<RedisFuture<?>> futures = List.of(async.set("k", "v"));
    assertLate(futures, "the server holds it until EXEC");
    RedisFuture<String> discarded = async.discard();
    Await.until("the end", Duration.ofSeconds(10), discarded::isDone);
  }

  private static void assertLate(List<RedisFuture<?>> futures, String words) {
    for (RedisFuture<?> future : futures) {
      assertThat(catchThrowable(() -> future.toCompletableFuture().join()))
          .hasRootCauseInstanceOf(RedisCommandTimeoutException.class)
          .rootCause()
          .message()
          .matches(late(words));
    }
  }

  /** A starved machine may say truthfully that nothing ran. */
  private static Predicate<String> late(String words) {
    return message ->
        message.contains(" ms (")
            && (message.contains(words) || message.contains("did not run for"));
  }

  private double counted() {
    return meters.find("sheaf.timeouts").counters().stream().mapToDouble(Counter::count).sum();
  }

  @Test
  void timeInWhichNothingRan_isThePointIfItIsTheLargerPart() {
    Lateness other = new Lateness(Stage.UNANSWERED, "it was written");
    long now = System.nanoTime();
    Pauses.note(now, 80_000_000);
    assertThat(Lateness.orPause(100_000_000, other).stage()).isEqualTo(Stage.NOT_RUNNING);
    assertThat(Lateness.orPause(100_000_000, other).details()).contains("did not run for");
    assertThat(Lateness.orPause(Duration.ofHours(1).toNanos(), other)).isEqualTo(other);
  }
}
