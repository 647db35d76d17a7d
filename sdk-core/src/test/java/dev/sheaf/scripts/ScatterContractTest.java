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
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

class ScatterContractTest {

  private static final Script<List<@Nullable String>> KEYS =
      Script.of("return KEYS").named("keys").readOnly().returns(ResultType.listOf(ResultType.TEXT));

  private static List<String> keys(int count) {
    return IntStream.range(0, count).mapToObj(i -> "key:" + i).toList();
  }

  @ForEachServer
  void everyKey_isInOneSliceExactly(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      List<String> keys = keys(5_000);
      assertThat(script.scatter(keys, List.of(), Reducer.<@Nullable String>concatenation()))
          .containsExactlyInAnyOrderElementsOf(keys);
      assertThat(script.scatter(List.of(), List.of(), Reducer.<@Nullable String>concatenation()))
          .isEmpty();
    }
  }

  @ForEachServer
  void textThatAsksForItsArguments_isCalledAsWell(ServerUnderTest server) {
    Script<Long> varargs =
        Script.of("return #KEYS + select('#', ...)").readOnly().returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(varargs);
      assertThat(script.scatter(keys(100), List.of(), Reducer.sum())).isEqualTo(100);
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
      assertThat(sum.scatter(keys, List.of(), Reducer.sum())).isEqualTo(expected);
    }
  }

  @ForEachServer
  void scatter_tellsItsProgress(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      List<ScatterProgress> told = new ArrayList<>();
      ScatterRun<List<@Nullable String>> run =
          script.scatterAsync(
              keys(2_000),
              List.of(),
              Reducer.concatenation(),
              ScatterOptions.builder().progress(told::add).build());
      run.result().join();
      ScatterProgress end = told.get(told.size() - 1);
      assertThat(end.keysDone()).isEqualTo(2_000);
      assertThat(end.slicesDone()).isEqualTo(told.size());
      assertThat(end.slicesFailed()).isZero();
      assertThat(run.progress()).isEqualTo(end);
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
              ScatterException.class,
              () ->
                  sum.scatter(
                      keys,
                      List.of(),
                      Reducer.sum(),
                      ScatterOptions.builder().maxSliceKeys(10).build()));
      assertThat(failure.failures()).hasSize(1);
      assertThat((List<Object>) new ArrayList<Object>(failure.failures().get(0).keys()))
          .contains(keys.get(500))
          .hasSizeLessThanOrEqualTo(10);
      assertThat(failure.failures().get(0).failure())
          .isInstanceOf(ScriptExecutionException.class)
          .hasMessageContaining("WRONGTYPE");
      assertThat(failure).hasMessageContaining("'sum_zcard'").hasMessageContaining("in 1 slice");
      assertThat(failure.partial()).isEqualTo(1L);
      assertThat(failure.progress().keysDone()).isEqualTo(1_000);
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
              ScatterException.class,
              () ->
                  script.scatter(
                      keys(100_000),
                      List.of(),
                      Reducer.sum(),
                      ScatterOptions.builder().maxSliceKeys(5).build()));
      assertThat(failure.failures().size())
          .isBetween(ScatterException.MAX_FAILURES, 10 * ScatterException.MAX_FAILURES);
      assertThat(failure).hasMessageContaining("MAX_FAILURES = 100");
    }
  }

  @ForEachServer
  void cancelledScatter_sendsNoMore(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      AtomicReference<@Nullable ScatterRun<Integer>> running = new AtomicReference<>();
      AtomicInteger slices = new AtomicInteger();
      AtomicInteger iterated = new AtomicInteger();
      Iterable<String> endless =
          () ->
              new Iterator<>() {
                @Override
                public boolean hasNext() {
                  return true;
                }

                @Override
                public String next() {
                  return "key:" + iterated.getAndIncrement();
                }
              };
      ScatterRun<Integer> run =
          script.scatterAsync(
              endless,
              List.of(),
              new Reducer<>(0, (count, keys) -> count + keys.size()),
              ScatterOptions.builder()
                  .progress(
                      progress -> {
                        ScatterRun<Integer> self = running.get();
                        if (self != null && slices.incrementAndGet() > 10) {
                          self.cancel();
                        }
                      })
                  .build());
      running.set(run);
      assertThatThrownBy(() -> run.result().join())
          .hasCauseInstanceOf(ScatterException.class)
          .hasMessageContaining("was cancelled");
    }
  }

  @ForEachServer
  void interruptedScatter_stops_andStaysInterrupted(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      Thread.currentThread().interrupt();
      assertThatThrownBy(
              () ->
                  script.scatter(
                      keys(50_000), List.of(), Reducer.<@Nullable String>concatenation()))
          .isInstanceOf(RedisCommandInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @ForEachServer
  void whatKeysOrReducerThrow_comesOut(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(KEYS);
      Reducer<List<@Nullable String>, Integer> broken =
          new Reducer<>(
              0,
              (count, keys) -> {
                throw new ArithmeticException("in the reducer");
              });
      assertThatThrownBy(() -> script.scatter(keys(10), List.of(), broken))
          .hasStackTraceContaining("in the reducer");
      Iterable<String> failing =
          () -> {
            throw new IllegalStateException("in the keys");
          };
      assertThatThrownBy(
              () -> script.scatter(failing, List.of(), Reducer.<@Nullable String>concatenation()))
          .hasStackTraceContaining("in the keys");
      assertThatThrownBy(
              () ->
                  script.scatter(
                      keys(1), List.of(new Object()), Reducer.<@Nullable String>concatenation()))
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
                sum.scatter(keys(1_000), List.of(), Reducer.sum());
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
      List<String> keys = keys(20_000);
      ConcurrentLinkedQueue<Throwable> trouble = new ConcurrentLinkedQueue<>();
      ScatterRun<Long> run =
          script.scatterAsync(
              keys, List.of(), Reducer.sum(), ScatterOptions.builder().maxSliceKeys(200).build());
      Thread flusher =
          new Thread(
              () -> {
                while (!run.result().isDone()) {
                  try {
                    server.command("SCRIPT", "FLUSH");
                  } catch (RuntimeException e) {
                    trouble.add(e);
                  }
                }
              });
      flusher.start();
      assertThat(run.result().join()).isEqualTo(20_000);
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
      assertThatThrownBy(() -> sum.scatter(keys(10), List.of(), Reducer.sum()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("'sum_zcard'")
          .hasMessageContaining("MULTI");
      assertThat(redis.exec()).containsExactly("OK");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void slicesOfSlowKeys_becomeShort(ServerUnderTest server) {
    // Some hundred microseconds a key.
    Script<Long> slow =
        Script.of("local x = 0 for i = 1, #KEYS * 20000 do x = x + i end return #KEYS")
            .readOnly()
            .returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(slow);
      ScatterRun<Long> run =
          script.scatterAsync(keys(1_000), List.of(), Reducer.sum(), ScatterOptions.defaults());
      assertThat(run.result().join()).isEqualTo(1_000);
      assertThat(1_000 / run.progress().slicesDone()).isLessThan(50);
    }
  }

  @ForEachServer
  void keysAreNeverFarAheadOfTheReplies_howeverManyThereAre(ServerUnderTest server) {
    int all = 500_000;
    int buffered = server.isCluster() ? 131_072 : 10_000;
    AtomicLong iterated = new AtomicLong();
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
              Reducer.sum(),
              ScatterOptions.builder()
                  .maxSliceKeys(2_000)
                  .progress(
                      progress ->
                          farthest.accumulateAndGet(
                              iterated.get() - progress.keysDone(), Math::max))
                  .build());
      assertThat(sum).isEqualTo(all);
      assertThat(farthest.get()).isLessThan(3L * buffered);
    }
  }
}
