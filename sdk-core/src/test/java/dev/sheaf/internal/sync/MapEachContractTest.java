// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandInterruptedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MapEachContractTest {

  private static final List<Integer> THOUSAND = IntStream.range(0, 1_000).boxed().toList();

  @ForEachServer
  void resultsAreInTheOrderOfTheItems_nullsIncluded(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>(LoopContractTest.fill(sheaf, 500));
      keys.add(250, "none");
      List<String> values = sheaf.mapEach(keys, key -> sheaf.sync().get(key));
      List<String> expected =
          keys.stream().map(k -> k.equals("none") ? null : LoopContractTest.valueOf(k)).toList();
      assertThat(values).isEqualTo(expected);
      assertThatThrownBy(() -> values.set(0, "x"))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(sheaf.mapEach(List.<String>of(), key -> key)).isEmpty();
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void dependentReads_travelInWaves(ServerUnderTest server) {
    ServerUnderTest.Node node = server.nodes().get(0);
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(node.host(), node.port())
                .oneWayDelay(Duration.ofMillis(20))
                .start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        server.command("SET", "pointer" + i, "value" + i);
        server.command("SET", "value" + i, "v" + i);
        keys.add("pointer" + i);
      }
      proxy.resetStats();
      List<String> values = sheaf.mapEach(keys, key -> sheaf.sync().get(sheaf.sync().get(key)));
      assertThat(values).hasSize(60).startsWith("v0", "v1").endsWith("v59");
      // Two at best; a busy machine starts some bodies late. One by one it would be 120.
      assertThat(proxy.stats().roundTrips()).isBetween(2L, 60L);
    }
  }

  @ForEachServer
  void firstFailure_isThrownAsItIs_afterAllThatBeganHaveEnded(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      eachKind(MapEachContractTest::failures);
      sheaf.sync().lpush("list", "x");
      assertThatThrownBy(() -> sheaf.mapEach(List.of("list"), key -> sheaf.sync().get(key)))
          .hasMessageStartingWith("WRONGTYPE");
    }
  }

  private static void failures(EachThreads threads) {
    IllegalStateException failure = new IllegalStateException("7");
    AtomicInteger begun = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    CountDownLatch failed = new CountDownLatch(1);
    assertThatThrownBy(
            () ->
                run(
                    THOUSAND,
                    i -> {
                      begun.incrementAndGet();
                      try {
                        if (i == 7) {
                          failed.countDown();
                          throw failure;
                        }
                        await(failed);
                        // The failure is recorded only after it was thrown.
                        LockSupport.parkNanos(20_000_000);
                        return i;
                      } finally {
                        ended.incrementAndGet();
                      }
                    },
                    threads))
        .isSameAs(failure);
    assertThat(ended.get()).isEqualTo(begun.get());
    assertThat(begun.get()).isLessThanOrEqualTo(SheafBuilder.MAP_EACH_BODIES * 2);

    AssertionError error = new AssertionError();
    CountDownLatch together = new CountDownLatch(10);
    assertThatThrownBy(
            () ->
                run(
                    THOUSAND,
                    i -> {
                      together.countDown();
                      await(together);
                      throw error;
                    },
                    threads))
        .isSameAs(error);
    assertThat(error.getSuppressed()).isEmpty();
  }

  @Test
  void furtherFailures_areSuppressed_upToTheLimit() {
    eachKind(
        threads -> {
          CountDownLatch together = new CountDownLatch(40);
          assertThatThrownBy(
                  () ->
                      run(
                          THOUSAND.subList(0, 40),
                          i -> {
                            together.countDown();
                            await(together);
                            throw new IllegalStateException("body " + i);
                          },
                          threads))
              .hasMessageStartingWith("body ")
              .satisfies(e -> assertThat(e.getSuppressed()).hasSize(MapEach.MAX_SUPPRESSED));
        });
  }

  @Test
  void noMoreBodiesThanTheLimitRunAtATime() {
    eachKind(
        threads -> {
          AtomicInteger running = new AtomicInteger();
          AtomicInteger most = new AtomicInteger();
          int limit =
              threads.areUnlimited()
                  ? SheafBuilder.MAP_EACH_BODIES
                  : SheafBuilder.MAP_EACH_POOL_THREADS + 1;
          CountDownLatch full = new CountDownLatch(limit);
          run(
              THOUSAND,
              i -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                full.countDown();
                await(full);
                // Time for one too many to begin.
                LockSupport.parkNanos(20_000_000);
                running.decrementAndGet();
                return i;
              },
              threads);
          assertThat(most.get()).isEqualTo(limit);
        });
  }

  /** Far more callers at one time than there are threads in the pool. */
  @Test
  void nestedCalls_neverWaitForEachOther() {
    eachKind(
        threads -> {
          List<Integer> hundred = THOUSAND.subList(0, 100);
          List<Integer> sums =
              run(
                  hundred,
                  i ->
                      run(
                              hundred,
                              j ->
                                  run(List.of(i, j), k -> k, threads).stream()
                                      .mapToInt(k -> k)
                                      .sum(),
                              threads)
                          .stream()
                          .mapToInt(k -> k)
                          .sum(),
                  threads);
          assertThat(sums).isEqualTo(hundred.stream().map(i -> 100 * i + 4_950).toList());
        });
  }

  @Test
  void interruptedCaller_interruptsTheBodies() throws Exception {
    for (EachThreads threads : List.of(EachThreads.best(), EachThreads.pooled())) {
      try (threads) {
        CountDownLatch begun = new CountDownLatch(10);
        AtomicInteger interrupted = new AtomicInteger();
        AtomicReference<Object> outcome = new AtomicReference<>();
        Thread caller =
            new Thread(
                () -> {
                  try {
                    run(
                        THOUSAND.subList(0, 10),
                        i -> {
                          begun.countDown();
                          try {
                            new CountDownLatch(1).await(30, TimeUnit.SECONDS);
                          } catch (InterruptedException e) {
                            interrupted.incrementAndGet();
                            Thread.currentThread().interrupt();
                            throw new RedisCommandInterruptedException(e);
                          }
                          return i;
                        },
                        threads);
                  } catch (RuntimeException e) {
                    outcome.set(e.getClass() + " " + Thread.currentThread().isInterrupted());
                  }
                });
        caller.start();
        assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
        caller.interrupt();
        caller.join(10_000);
        assertThat(outcome).hasValue(RedisCommandInterruptedException.class + " true");
        assertThat(interrupted).hasValue(10);
        // The pool's threads serve on, and are not interrupted.
        assertThat(run(List.of(1, 2, 3), i -> Thread.interrupted(), threads)).containsOnly(false);
      }
    }
  }

  @Test
  void pool_endsIdleThreads() {
    EachThreads threads = EachThreads.pooled();
    run(THOUSAND, i -> i, threads);
    Await.until("idle threads to end", Duration.ofSeconds(10), () -> poolThreads() == 0);
    CountDownLatch two = new CountDownLatch(2);
    run(
        List.of(1, 2),
        i -> {
          two.countDown();
          await(two);
          return i;
        },
        threads);
    assertThat(poolThreads()).isPositive();
    threads.close();
    Await.until("closed pool to end", Duration.ofSeconds(10), () -> poolThreads() == 0);
    assertThat(run(THOUSAND, i -> i, threads)).isEqualTo(THOUSAND);
  }

  private static long poolThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("sheaf-map-each-"))
        .count();
  }

  private static <T, R> List<R> run(
      List<T> items, java.util.function.Function<T, R> body, EachThreads threads) {
    return MapEach.run(items, body, threads, ThreadLocal.withInitial(CallerThread::new));
  }

  private static void eachKind(Consumer<EachThreads> test) {
    for (EachThreads threads : List.of(EachThreads.best(), EachThreads.pooled())) {
      try (threads) {
        test.accept(threads);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
