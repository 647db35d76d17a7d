// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

class ScatterContractTest {

  private static final Script<List<@Nullable String>> KEYS =
      Script.of("return KEYS").named("keys").readOnly().returns(ResultType.listOf(ResultType.TEXT));

  private static final Collector<Long, ?, Long> SUM = Collectors.summingLong(size -> size);

  /** So short that each slice has one key. */
  private static final Duration NO_TIME = Duration.ofNanos(1);

  private static <E extends @Nullable Object> Collector<List<E>, ?, List<E>> concatenation() {
    return Collectors.flatMapping(List::stream, Collectors.toList());
  }

  private static List<String> keys(int count) {
    return IntStream.range(0, count).mapToObj(i -> "key:" + i).toList();
  }

  @ForEachServer
  void everyKey_isInOneSliceExactly(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      List<String> keys = keys(5_000);
      assertThat(script.scatter(keys, List.of(), concatenation()))
          .containsExactlyInAnyOrderElementsOf(keys);
      assertThat(script.scatter(List.of(), List.of(), concatenation())).isEmpty();
    }
  }

  @ForEachServer
  void textThatAsksForItsArguments_isCalledAsWell(ServerUnderTest server) {
    Script<Long> varargs =
        Script.of("return #KEYS + select('#', ...)").readOnly().returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(varargs);
      assertThat(script.scatter(keys(100), List.of(), SUM)).isEqualTo(100);
    }
  }

  @ForEachServer
  void sums_areThoseOfTheLoop(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = keys(3_000);
      long expected = 0;
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < keys.size(); i += 3) {
          String key = keys.get(i);
          double score = i;
          batch.add(redis -> redis.zadd(key, score, "a"));
          batch.add(redis -> redis.zadd(key, score, "b"));
          expected += 2;
        }
      }
      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
      assertThat(sum.scatter(keys, List.of(), SUM)).isEqualTo(expected);
    }
  }

  @ForEachServer
  void scatterWithoutBlocking_givesTheSame(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      List<String> keys = keys(2_000);
      assertThat(
              script
                  .scatterAsync(keys, List.of(), concatenation(), RegisteredScript.SCATTER_BUDGET)
                  .join())
          .containsExactlyInAnyOrderElementsOf(keys);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void budgetThatIsNotPositive_isRefused(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      assertThatThrownBy(() -> script.scatter(keys(10), List.of(), concatenation(), Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("budget");
    }
  }

  @ForEachServer
  void failedSlices_areReportedWithTheirKeys_andTheOthersCount(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = keys(1_000);
      sheaf.sync().set(keys.get(500), "no sorted set");
      sheaf.sync().zadd(keys.get(0), 1, "member");
      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
      ScatterException failure =
          catchThrowableOfType(
              ScatterException.class, () -> sum.scatter(keys, List.of(), SUM, NO_TIME));
      assertThat(failure.failures()).hasSize(1);
      assertThat((List<Object>) new ArrayList<Object>(failure.failures().get(0).keys()))
          .contains(keys.get(500))
          .hasSizeLessThanOrEqualTo(10);
      assertThat(failure.failures().get(0).failure())
          .isInstanceOf(ScriptException.class)
          .hasMessageContaining("WRONGTYPE");
      assertThat(failure).hasMessageContaining("'sum_zcard'").hasMessageContaining("in 1 slice");
      assertThat(failure.partial()).isEqualTo(1L);
      assertThat(failure.keysDone()).isEqualTo(1_000);
    }
  }

  @ForEachServer
  void whereEverythingFails_itEndsSoon(ServerUnderTest server) {
    Script<Long> failing =
        Script.of("return redis.error_reply('ERR no')").returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(failing);
      ScatterException failure =
          catchThrowableOfType(
              ScatterException.class, () -> script.scatter(keys(100_000), List.of(), SUM, NO_TIME));
      assertThat(failure.failures().size())
          .isBetween(ScatterException.MAX_FAILURES, 10 * ScatterException.MAX_FAILURES);
      assertThat(failure).hasMessageContaining("MAX_FAILURES = 100");
    }
  }

  @ForEachServer
  void cancelledScatter_sendsNoMore(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      AtomicInteger slices = new AtomicInteger();
      AtomicInteger iterated = new AtomicInteger();
      Iterable<String> endless =
          () -> Stream.generate(() -> "key:" + iterated.getAndIncrement()).iterator();
      CompletableFuture<Integer> run =
          script.scatterAsync(
              endless,
              List.of(),
              Collectors.summingInt(keys -> slices.incrementAndGet()),
              RegisteredScript.SCATTER_BUDGET);
      Await.until("some slices", Duration.ofSeconds(10), () -> slices.get() > 10);
      run.cancel(false);
      Await.until(
          "the thread to end",
          Duration.ofSeconds(10),
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().equals("sheaf-scatter-keys")));
      assertThat(run).isCancelled();
    }
  }

  @ForEachServer
  void interruptedScatter_stops_andStaysInterrupted(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> script.scatter(keys(50_000), List.of(), concatenation()))
          .isInstanceOf(RedisCommandInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @ForEachServer
  void whatKeysOrCollectorThrow_comesOut(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      Collector<List<@Nullable String>, ?, Integer> broken =
          Collectors.summingInt(
              keys -> {
                throw new ArithmeticException("in the collector");
              });
      assertThatThrownBy(() -> script.scatter(keys(10), List.of(), broken))
          .hasStackTraceContaining("in the collector");
      Iterable<String> failing =
          () -> {
            throw new IllegalStateException("in the keys");
          };
      assertThatThrownBy(() -> script.scatter(failing, List.of(), concatenation()))
          .hasStackTraceContaining("in the keys");
      assertThatThrownBy(() -> script.scatter(keys(1), List.of(new Object()), concatenation()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ForEachServer
  void insideABatch_itDoesNotHang(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
      Deferred<String> set = batch.add(redis -> redis.set("k", "v"));
      Deferred<String> pong =
          batch.add(
              redis -> {
                sum.scatter(keys(1_000), List.of(), SUM);
                return redis.ping();
              });
      assertThat(pong.get()).isEqualTo("PONG");
      assertThat(set.get()).isEqualTo("OK");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void flushesDuringAScatter_areNotNoticed(ServerUnderTest server) {
    Script<Long> increment =
        Script.of("for i = 1, #KEYS do redis.call('INCR', KEYS[i]) end return #KEYS")
            .returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(increment);
      List<String> keys = keys(4_000);
      ConcurrentLinkedQueue<Throwable> trouble = new ConcurrentLinkedQueue<>();
      CompletableFuture<Long> run =
          script.scatterAsync(keys, List.of(), SUM, Duration.ofNanos(100_000));
      Thread flusher =
          new Thread(
              () -> {
                while (!run.isDone()) {
                  try {
                    server.command("SCRIPT", "FLUSH");
                  } catch (RuntimeException e) {
                    trouble.add(e);
                  }
                }
              });
      flusher.start();
      assertThat(run.join()).isEqualTo(4_000);
      assertThat(new HashSet<>(sheaf.sync().mget(keys.toArray(String[]::new))))
          .allMatch(value -> value.getValue().equals("1"));
      Await.until("the flusher to end", Duration.ofSeconds(10), () -> !flusher.isAlive());
      assertThat(trouble).isEmpty();
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void insideATransaction_scatterIsRefused_andLeavesItAlone(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).commandTimeout(Duration.ofSeconds(30)).connect()) {
      RegisteredScript<String, Long> sum = sheaf.scripts().register(ScriptLibrary.SUM_ZCARD);
      RedisCommands<String, String> redis = sheaf.standalone().sync();
      redis.multi();
      redis.set("k", "v");
      assertThatThrownBy(() -> sum.scatter(keys(10), List.of(), SUM))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'sum_zcard'")
          .hasMessageContaining("MULTI");
      assertThat(redis.exec()).containsExactly("OK");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void slicesOfSlowKeys_becomeShort(ServerUnderTest server) {
    // About a hundred microseconds a key.
    Script<Long> slow =
        Script.of("local x = 0 for i = 1, #KEYS * 10000 do x = x + i end return #KEYS")
            .readOnly()
            .returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(slow);
      // So many that the first slices, of 100 keys and more, do not count: on a busy machine
      // replies
      // are read several at a time, and the first of them tell nothing of what a slice has cost.
      List<Long> slices = script.scatter(keys(3_000), List.of(), Collectors.toList());
      assertThat(slices.stream().mapToLong(size -> size).sum()).isEqualTo(3_000);
      assertThat(3_000 / slices.size()).isLessThan(50);
    }
  }

  @ForEachServer
  void keysAreNeverFarAheadOfTheReplies_howeverManyThereAre(ServerUnderTest server) {
    int all = 500_000;
    int buffered = server.isCluster() ? 131_072 : 4 * RegisteredScript.MAX_SLICE_KEYS;
    AtomicLong iterated = new AtomicLong();
    AtomicLong done = new AtomicLong();
    AtomicLong farthest = new AtomicLong();
    Script<Long> count = Script.of("return #KEYS").readOnly().returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(count);
      long sum =
          script.scatter(
              () ->
                  IntStream.range(0, all)
                      .mapToObj(
                          i -> {
                            iterated.incrementAndGet();
                            return "key:" + i;
                          })
                      .iterator(),
              List.of(),
              Collectors.summingLong(
                  keys -> {
                    long ahead = iterated.get() - done.addAndGet(keys);
                    farthest.accumulateAndGet(ahead, Math::max);
                    return keys;
                  }));
      assertThat(sum).isEqualTo(all);
      assertThat(farthest.get()).isLessThan(3L * buffered);
    }
  }
}
