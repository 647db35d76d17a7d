// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.LogLines;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Loops in a user's code are found and named. In a package of its own, as users are.
 *
 * <p>What is a loop depends on how long calls and pauses take, so most tests call on a clock that
 * they move themselves; see {@link ClockedCalls}.
 */
class LoopDetectionTest {

  private static final Duration ROUND_TRIP = Duration.ofNanos(100_000);

  private ClockedCalls calls;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() {
    calls = new ClockedCalls(ROUND_TRIP);
    redis = calls.redis();
  }

  @AfterEach
  void stop() {
    calls.close();
  }

  /** On the real clock, where a machine that pauses the thread hides a run; the next one shows. */
  @ForEachServer
  void clientFindsALoop_andCountsIt(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).name("shop").connect()) {
      Await.until(
          "the loop to be found",
          Duration.ofSeconds(60),
          () -> {
            loop(sheaf.sync());
            return !sheaf.loops().isEmpty();
          });
      LoopReport report = only(sheaf.loops());
      assertThat(report.callSite()).contains("LoopDetectionTest.loop(");
      assertThat(report.command()).isEqualTo("GET");
      assertThat(
              registry
                  .get("sheaf.loops.avoidable.round.trips")
                  .tag("client", "shop")
                  .counter()
                  .count())
          .isEqualTo(report.avoidableRoundTrips());
    }
  }

  @ForEachServer
  void switchedOff_findsNothing(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).loopDetection(false).connect()) {
      for (int i = 0; i < 100; i++) {
        sheaf.sync().get("k");
      }
      assertThat(sheaf.loops()).isEmpty();
    }
  }

  @ForEachServer
  void callsThatShareRoundTrips_areIgnored(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      // Read ahead.
      for (String key : sheaf.loop(Collections.nCopies(100, "k"))) {
        sheaf.sync().get(key);
      }
      // Side by side.
      sheaf.mapEach(Collections.nCopies(300, "k"), key -> sheaf.sync().get(key));
      // Not blocking.
      for (int i = 0; i < 100; i++) {
        sheaf.async().get("k");
      }
      assertThat(sheaf.loops()).isEmpty();
    }
  }

  @Test
  void loop_isNamedByItsLine_withWhatItCosts() {
    int line = line() + 2;
    for (int i = 0; i < 100; i++) {
      redis.get("k" + i);
    }
    LoopReport report = only(calls.loops());
    assertThat(report.callSite())
        .isEqualTo(
            LoopDetectionTest.class.getName()
                + ".loop_isNamedByItsLine_withWhatItCosts(LoopDetectionTest.java:"
                + line
                + ")");
    assertThat(report)
        .extracting(
            LoopReport::command,
            LoopReport::executions,
            LoopReport::calls,
            LoopReport::avoidableRoundTrips)
        .containsExactly("GET", 1L, 100L, 99L);
  }

  @Test
  void eightCalls_areALoop_sevenAreNot() {
    for (int i = 0; i < 7; i++) {
      redis.get("k");
    }
    assertThat(calls.loops()).isEmpty();
    for (int i = 0; i < 8; i++) {
      redis.strlen("k");
    }
    assertThat(only(calls.loops()).command()).isEqualTo("STRLEN");
  }

  @Test
  void loopBehindAHelper_namesTheHelperAndItsCaller() {
    int line = line() + 2;
    for (int i = 0; i < 20; i++) {
      helper(redis);
    }
    LoopReport report = only(calls.loops());
    assertThat(report.callSite()).contains("LoopDetectionTest.helper(");
    assertThat(report.callers().get(0)).endsWith("(LoopDetectionTest.java:" + line + ")");
  }

  @Test
  void commandsInTurn_areFoundToo() {
    for (int i = 0; i < 20; i++) {
      redis.hget("h", "f");
      redis.set("k", "v");
      redis.exists("k");
    }
    assertThat(calls.loops())
        .extracting(LoopReport::command)
        .containsExactlyInAnyOrder("HGET", "SET", "EXISTS");
    assertThat(calls.loops()).allSatisfy(r -> assertThat(r.calls()).isEqualTo(20));
  }

  @Test
  void callsFromDifferentLines_areNoLoop() {
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    helper(redis);
    assertThat(calls.loops()).isEmpty();
  }

  @Test
  void callsThatNeedTheAnswerBefore_areNoLoop() {
    for (int i = 0; i < 20; i++) {
      redis.hscan("h");
    }
    assertThat(calls.loops()).isEmpty();
  }

  @Test
  void pauseOfMoreThanATenthOfASecond_endsALoop() {
    // So slow that it is not the share of waiting which hides them.
    calls.roundTrip(Duration.ofSeconds(1));
    for (int i = 0; i < 20; i++) {
      redis.type("k");
      calls.pause(Duration.ofMillis(101));
    }
    assertThat(calls.loops()).isEmpty();
    for (int i = 0; i < 20; i++) {
      redis.type("k");
      calls.pause(Duration.ofMillis(99));
    }
    assertThat(only(calls.loops()).command()).isEqualTo("TYPE");
  }

  @Test
  void loopThatSpendsLessThanAQuarterOfItsTimeWaiting_isIgnored() {
    for (int i = 0; i < 20; i++) {
      redis.ttl("k");
      calls.pause(ROUND_TRIP.multipliedBy(4));
    }
    assertThat(calls.loops()).isEmpty();
    for (int i = 0; i < 20; i++) {
      redis.type("k");
      calls.pause(ROUND_TRIP.multipliedBy(2));
    }
    assertThat(only(calls.loops()).command()).isEqualTo("TYPE");
  }

  @Test
  void manyPlaces_areBounded() throws Exception {
    for (int place = 0; place < 300; place++) {
      callFrom(place);
      if (place % 50 == 49) {
        calls.pause(Duration.ofMillis(1_001));
      }
    }
    assertThat(calls.loops()).hasSize(256);
  }

  /** A loop of eight calls costs two looks. */
  @Test
  void hundredLooksASecond_areTheMost() throws Exception {
    for (int place = 0; place < 100; place++) {
      callFrom(place);
    }
    assertThat(calls.loops()).hasSize(50);
    calls.pause(Duration.ofMillis(1_001));
    callFrom(100);
    assertThat(calls.loops()).hasSize(51);
  }

  private void callFrom(int place) throws InterruptedException {
    Thread thread = new Thread(() -> descend(redis, place, 6));
    thread.start();
    thread.join();
  }

  /** Different stacks for different numbers: at each level one of three lines. */
  private static void descend(RedisCommands<String, String> redis, int place, int levels) {
    if (levels == 0) {
      for (int i = 0; i < 8; i++) {
        redis.get("k");
      }
    } else if (place % 3 == 0) {
      descend(redis, place / 3, levels - 1);
    } else if (place % 3 == 1) {
      descend(redis, place / 3, levels - 1);
    } else {
      descend(redis, place / 3, levels - 1);
    }
  }

  @Test
  void eachPlace_isLoggedOnce_withWhatToDo() {
    try (LogLines log = new LogLines("dev.sheaf.loops")) {
      List<String> lines = log.lines();
      for (int run = 0; run < 4; run++) {
        for (int i = 0; i < 50; i++) {
          redis.get("k");
        }
        calls.pause(Duration.ofMillis(200));
        if (run == 1) {
          Await.until("the log line", Duration.ofSeconds(60), () -> !lines.isEmpty());
        }
      }
      for (int i = 0; i < 30; i++) {
        redis.hgetall("h");
      }
      for (int i = 0; i < 30; i++) {
        redis.keys("user:" + i + ":*");
      }
      calls.close();
      // The other places were logged by close.
      assertThat(lines).hasSize(3);
      assertThat(lines.get(0))
          // The end of a run is noticed up to seven calls late.
          .matches(
              "INFO Called GET 5[0-7] times in a row from "
                  + LoopDetectionTest.class.getName()
                  + ".*")
          .containsPattern(
              "sheaf.loop\\(keys\\) or getAll would have saved (49|5[0-6]) round trips");
      assertThat(lines.get(1)).startsWith("INFO Called HGETALL 30 times").contains("sheaf.batch()");
      assertThat(lines.get(2))
          .startsWith("INFO Called KEYS 30 times")
          .contains("a set of the keys' names, or one SCAN")
          .doesNotContain("batch");
    }
  }

  /** As an endpoint does that is busy without a pause. */
  @Test
  void oneCallInEachTaskOfAPool_isNoLoop() throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      List<Future<?>> tasks = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        tasks.add(pool.submit(() -> redis.get("k")));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
      assertThat(calls.loops()).isEmpty();
    } finally {
      pool.shutdown();
    }
  }

  @Test
  void twoCallsOnALine_areOnePlace() {
    for (int i = 0; i < 32; i++) {
      assertThat(redis.get("k")).isEqualTo(redis.get("l"));
    }
    assertThat(only(calls.loops()).calls()).isEqualTo(64);
  }

  @Test
  void loopOfACollectionOrStream_isFound() {
    List<String> keys = Collections.nCopies(32, "k");
    keys.forEach(key -> redis.get(key));
    assertThat(keys.stream().map(key -> redis.hgetall(key)).toList()).hasSize(32);
    assertThat(calls.loops())
        .extracting(LoopReport::command)
        .containsExactlyInAnyOrder("GET", "HGETALL");
  }

  @Test
  void commandsAreNamedAsTheServerNamesThem() {
    for (int i = 0; i < 32; i++) {
      redis.zrangeWithScores("z", 0, -1);
    }
    assertThat(only(calls.loops()).command()).isEqualTo("ZRANGE");
  }

  @Test
  void loopsOfManyThreads_addUp() throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      Thread thread = new Thread(() -> loop(redis));
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    LoopReport report = only(calls.loops());
    assertThat(report.executions()).isEqualTo(8);
    assertThat(report.calls()).isEqualTo(8 * 32);
    assertThat(report.avoidableRoundTrips()).isEqualTo(8 * 31);
  }

  private static void loop(RedisClusterCommands<String, String> redis) {
    for (int i = 0; i < 32; i++) {
      redis.get("k");
    }
  }

  private static void helper(RedisCommands<String, String> redis) {
    redis.get("k");
  }

  private static LoopReport only(List<LoopReport> loops) {
    assertThat(loops).hasSize(1);
    return loops.get(0);
  }

  private static int line() {
    return StackWalker.getInstance().walk(s -> s.skip(1).findFirst()).orElseThrow().getLineNumber();
  }
}
