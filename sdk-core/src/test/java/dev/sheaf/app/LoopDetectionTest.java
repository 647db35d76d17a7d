package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.LoopReport;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Loops in a user's code are found and named. In a package of its own, as users are. */
class LoopDetectionTest {

  @ForEachServer
  void loop_isNamedByItsLine_withWhatItCosts(ServerUnderTest server) throws Exception {
    attempt(() -> loopOnce(server));
  }

  private static void loopOnce(ServerUnderTest server) throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).name("shop").connect()) {
      int line = line() + 2;
      for (int i = 0; i < 100; i++) {
        sheaf.sync().get("k" + i);
      }
      LoopReport report = only(sheaf);
      assertThat(report.callSite())
          .isEqualTo(
              LoopDetectionTest.class.getName() + ".loopOnce(LoopDetectionTest.java:" + line + ")");
      assertThat(report)
          .extracting(
              LoopReport::command,
              LoopReport::executions,
              LoopReport::calls,
              LoopReport::avoidableRoundTrips)
          .containsExactly("GET", 1L, 100L, 99L);
      assertThat(
              registry
                  .get("sheaf.loops.avoidable.round.trips")
                  .tag("client", "shop")
                  .counter()
                  .count())
          .isEqualTo(99);
    }
  }

  @ForEachServer
  void eightCalls_areALoop_sevenAreNot(ServerUnderTest server) throws Exception {
    attempt(() -> eightCallsOnce(server));
  }

  private static void eightCallsOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (int i = 0; i < 7; i++) {
        sheaf.sync().get("k");
      }
      assertThat(sheaf.loops()).isEmpty();
      for (int i = 0; i < 8; i++) {
        sheaf.sync().strlen("k");
      }
      assertThat(only(sheaf).command()).isEqualTo("STRLEN");
    }
  }

  @ForEachServer
  void loopBehindAHelper_namesTheHelperAndItsCaller(ServerUnderTest server) throws Exception {
    attempt(() -> loopBehindAHelperOnce(server));
  }

  private static void loopBehindAHelperOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      int line = line() + 2;
      for (int i = 0; i < 20; i++) {
        helper(sheaf);
      }
      LoopReport report = only(sheaf);
      assertThat(report.callSite()).contains("LoopDetectionTest.helper(");
      assertThat(report.callers().get(0)).endsWith("(LoopDetectionTest.java:" + line + ")");
    }
  }

  @ForEachServer
  void commandsInTurn_areFoundToo(ServerUnderTest server) throws Exception {
    attempt(() -> commandsInTurnOnce(server));
  }

  private static void commandsInTurnOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (int i = 0; i < 20; i++) {
        sheaf.sync().hget("h", "f");
        sheaf.sync().set("k", "v");
        sheaf.sync().exists("k");
      }
      assertThat(sheaf.loops())
          .extracting(LoopReport::command)
          .containsExactlyInAnyOrder("HGET", "SET", "EXISTS");
      assertThat(sheaf.loops()).allSatisfy(r -> assertThat(r.calls()).isEqualTo(20));
    }
  }

  @ForEachServer
  void whatIsNoSuchLoop_isIgnored(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      // Different lines.
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
      helper(sheaf);
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
      // By nature one after the other.
      for (int i = 0; i < 20; i++) {
        sheaf.sync().hscan("h");
      }
      // Long pauses.
      for (int i = 0; i < 9; i++) {
        sheaf.sync().type("k");
        pause(Duration.ofMillis(110));
      }
      // More work than waiting.
      for (int i = 0; i < 20; i++) {
        long start = System.nanoTime();
        sheaf.sync().ttl("k");
        pause(Duration.ofNanos(10 * (System.nanoTime() - start)));
      }
      assertThat(sheaf.loops()).isEmpty();
    }
  }

  /** As an endpoint does that is busy without a pause. */
  @ForEachServer
  void oneCallInEachTaskOfAPool_isNoLoop(ServerUnderTest server) throws Exception {
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<Future<?>> tasks = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        tasks.add(pool.submit(() -> sheaf.sync().get("k")));
      }
      for (Future<?> task : tasks) {
        task.get();
      }
      assertThat(sheaf.loops()).isEmpty();
    } finally {
      pool.shutdown();
    }
  }

  @ForEachServer
  void twoCallsOnALine_areOnePlace(ServerUnderTest server) throws Exception {
    attempt(() -> twoCallsOnALineOnce(server));
  }

  private static void twoCallsOnALineOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (int i = 0; i < 32; i++) {
        both(sheaf.sync().get("k"), sheaf.sync().get("l"));
      }
      assertThat(only(sheaf).calls()).isEqualTo(64);
    }
  }

  private static void both(String first, String second) {
    assertThat(first).isEqualTo(second);
  }

  @ForEachServer
  void loopOfACollection_isFound(ServerUnderTest server) throws Exception {
    attempt(() -> loopOfACollectionOnce(server));
  }

  private static void loopOfACollectionOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Collections.nCopies(32, "k").forEach(key -> sheaf.sync().get(key));
      Collections.nCopies(32, "k").stream().map(key -> sheaf.sync().hgetall(key)).toList();
      assertThat(sheaf.loops())
          .extracting(LoopReport::command)
          .containsExactlyInAnyOrder("GET", "HGETALL");
    }
  }

  @ForEachServer
  void commandsAreNamedAsTheServerNamesThem(ServerUnderTest server) throws Exception {
    attempt(() -> commandsAreNamedOnce(server));
  }

  private static void commandsAreNamedOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (int i = 0; i < 32; i++) {
        sheaf.sync().zrangeWithScores("z", 0, -1);
      }
      assertThat(only(sheaf).command()).isEqualTo("ZRANGE");
    }
  }

  @ForEachServer
  void manyPlaces_areBounded(ServerUnderTest server) throws Exception {
    attempt(() -> manyPlacesOnce(server));
  }

  private static void manyPlacesOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      // The number of stacks looked at in a second is bounded too, so a few are missed.
      for (int place = 0; place < 300; place++) {
        int number = place;
        Thread thread = new Thread(() -> descend(sheaf, number, 6));
        thread.start();
        thread.join();
        if (place % 45 == 44) {
          pause(Duration.ofMillis(1_050));
        }
      }
      assertThat(sheaf.loops()).hasSizeBetween(200, 256);
    }
  }

  /** Different stacks for different numbers: at each level one of two lines. */
  private static void descend(Sheaf<String, String> sheaf, int place, int levels) {
    if (levels == 0) {
      for (int i = 0; i < 8; i++) {
        sheaf.sync().get("k");
      }
    } else if (place % 3 == 0) {
      descend(sheaf, place / 3, levels - 1);
    } else if (place % 3 == 1) {
      descend(sheaf, place / 3, levels - 1);
    } else {
      descend(sheaf, place / 3, levels - 1);
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
  void eachPlace_isLoggedOnce_withWhatToDo(ServerUnderTest server) throws Exception {
    attempt(() -> eachPlaceOnce(server));
  }

  private static void eachPlaceOnce(ServerUnderTest server) throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            lines.add(entry.getLevel() + " " + entry.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.sheaf.loops");
    logger.addHandler(handler);
    logger.setLevel(Level.INFO);
    logger.setUseParentHandlers(false);
    try {
      try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
        for (int run = 0; run < 4; run++) {
          for (int i = 0; i < 50; i++) {
            sheaf.sync().get("k");
          }
          pause(Duration.ofMillis(110));
          if (run == 1) {
            Await.until("the log line", Duration.ofSeconds(10), () -> !lines.isEmpty());
          }
        }
        for (int i = 0; i < 30; i++) {
          sheaf.sync().hgetall("h");
        }
      }
      // The second place was logged by close.
      assertThat(lines).hasSize(2);
      assertThat(lines.get(0))
          // The end of a run is noticed up to seven calls late.
          .matches(
              "INFO Called GET 5[0-7] times in a row from "
                  + LoopDetectionTest.class.getName()
                  + ".*")
          .containsPattern(
              "sheaf.loop\\(keys\\) or getAll would have saved (49|5[0-6]) round trips");
      assertThat(lines.get(1)).startsWith("INFO Called HGETALL 30 times").contains("sheaf.batch()");
    } finally {
      logger.removeHandler(handler);
      logger.setUseParentHandlers(true);
      logger.setLevel(null);
    }
  }

  @ForEachServer
  void loopsOfManyThreads_addUp(ServerUnderTest server) throws Exception {
    attempt(() -> loopsOfManyThreadsOnce(server));
  }

  private static void loopsOfManyThreadsOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        Thread thread = new Thread(() -> loop(sheaf));
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
      LoopReport report = only(sheaf);
      assertThat(report.executions()).isEqualTo(8);
      assertThat(report.calls()).isEqualTo(8 * 32);
      assertThat(report.avoidableRoundTrips()).isEqualTo(8 * 31);
    }
  }

  private static void loop(Sheaf<String, String> sheaf) {
    for (int i = 0; i < 32; i++) {
      sheaf.sync().get("k");
    }
  }

  private static void helper(Sheaf<String, String> sheaf) {
    sheaf.sync().get("k");
  }

  private static LoopReport only(Sheaf<String, String> sheaf) {
    assertThat(sheaf.loops()).hasSize(1);
    return sheaf.loops().get(0);
  }

  private static int line() {
    return StackWalker.getInstance().walk(s -> s.skip(1).findFirst()).orElseThrow().getLineNumber();
  }

  private static void pause(Duration length) {
    long until = System.nanoTime() + length.toNanos();
    while (System.nanoTime() - until < 0) {
      LockSupport.parkNanos(Math.min(1_000_000, Math.max(1, until - System.nanoTime())));
    }
  }

  private interface Attempt {
    void run() throws Exception;
  }

  /**
   * Runs what finds loops, several times if need be: whether a loop is worth a report depends on
   * the time it spends waiting, and a machine that pauses a thread at the wrong moment changes
   * that.
   */
  private static void attempt(Attempt attempt) throws Exception {
    AssertionError failure = null;
    for (int i = 0; i < 5; i++) {
      try {
        attempt.run();
        return;
      } catch (AssertionError e) {
        failure = e;
      }
    }
    throw failure;
  }
}
