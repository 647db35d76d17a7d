// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Reads through a server that is well. */
@Timeout(180)
class ReadThroughContractTest {

  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofSeconds(10);

  /** Nothing here is about time. */
  private static final ReadThroughOptions<String> PATIENT = patient().build();

  private static ReadThroughOptions.Builder<String> patient() {
    return ReadThroughOptions.<String>builder().readTimeout(SOON);
  }

  private final ExecutorService callers = Executors.newCachedThreadPool();

  @AfterEach
  void stopCallers() {
    callers.shutdownNow();
  }

  private static Sheaf<String, String> connect(ServerUnderTest server) {
    return Sheaf.builder(server.uri())
        .availability(AvailabilityOptions.builder().timeout(SOON).build())
        .connect();
  }

  private static void awaitCached(Sheaf<String, String> sheaf, String key, String value) {
    Await.until(key + " to be cached", SOON, () -> value.equals(sheaf.sync().get(key)));
  }

  @ForEachServer
  void miss_isLoadedAndWrittenBack_andAHitIsNotLoaded(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      AtomicInteger loads = new AtomicInteger();
      Loader<String, String> loader = key -> key + loads.incrementAndGet();
      assertThat(sheaf.readThrough("k", TTL, loader)).isEqualTo("k1");
      awaitCached(sheaf, "k", "k1");
      assertThat(sheaf.readThrough("k", TTL, loader)).isEqualTo("k1");
      assertThat(loads).hasValue(1);
    }
  }

  @ForEachServer
  void ttl_isJitteredByATenth(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      List<Long> ttls = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        String key = "k" + i;
        sheaf.readThrough(key, TTL, missing -> "v");
        awaitCached(sheaf, key, "v");
        ttls.add(sheaf.sync().pttl(key));
      }
      assertThat(ttls).allMatch(ttl -> ttl > 530_000 && ttl <= 660_000);
      assertThat(Collections.max(ttls) - Collections.min(ttls)).isGreaterThan(20_000);
    }
  }

  @ForEachServer
  void callersOfOneKey_shareOneLoad(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      ReadThrough<String, String> reads = sheaf.readThrough(PATIENT);
      AtomicInteger loads = new AtomicInteger();
      CountDownLatch mayEnd = new CountDownLatch(1);
      List<Future<String>> all = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        all.add(
            callers.submit(
                () ->
                    reads.get(
                        "k",
                        TTL,
                        key -> {
                          loads.incrementAndGet();
                          mayEnd.await();
                          return "v";
                        })));
      }
      Await.until("a load", SOON, () -> loads.get() > 0);
      mayEnd.countDown();
      for (Future<String> each : all) {
        assertThat(each.get()).isEqualTo("v");
      }
      assertThat(loads).hasValue(1);
    }
  }

  /** Callers that come all the time, keys that come new all the time: no key is loaded twice. */
  @ForEachServer
  void racingCallers_loadEachKeyOnce(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      ReadThrough<String, String> reads = sheaf.readThrough(PATIENT);
      int keys = 500;
      AtomicInteger[] loads = new AtomicInteger[keys];
      for (int i = 0; i < keys; i++) {
        loads[i] = new AtomicInteger();
      }
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 8; thread++) {
        all.add(
            callers.submit(
                () -> {
                  for (int i = 0; i < keys; i++) {
                    int number = i;
                    String value =
                        reads.get(
                            "k" + i,
                            TTL,
                            key -> {
                              loads[number].incrementAndGet();
                              return "v" + number;
                            });
                    assertThat(value).isEqualTo("v" + i);
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      assertThat(loads).allMatch(count -> count.get() == 1);
    }
  }

  @ForEachServer
  void failingLoader_failsItsCallers_andCachesNothing(ServerUnderTest server) throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .availability(AvailabilityOptions.builder().timeout(SOON).build())
            .meterRegistry(registry)
            .connect()) {
      ReadThrough<String, String> reads = sheaf.readThrough(PATIENT);
      CountDownLatch loading = new CountDownLatch(1);
      CountDownLatch mayFail = new CountDownLatch(1);
      IllegalStateException failure = new IllegalStateException("the database is down");
      List<Future<String>> all = new ArrayList<>();
      Loader<String, String> loader =
          key -> {
            loading.countDown();
            mayFail.await();
            throw failure;
          };
      all.add(callers.submit(() -> reads.get("k", TTL, loader)));
      loading.await();
      all.add(
          callers.submit(
              () -> {
                Map<String, String> many =
                    reads.getAll(List.of("k"), TTL, missing -> Map.of("k", "not asked"));
                return many.get("k");
              }));
      Await.until(
          "the second to share the load",
          SOON,
          () ->
              registry.get("sheaf.readthrough.loads").tag("outcome", "shared").counter().count()
                  == 1);
      mayFail.countDown();
      for (Future<String> each : all) {
        assertThatThrownBy(each::get).isInstanceOf(ExecutionException.class).hasCause(failure);
      }
      assertThat(sheaf.sync().get("k")).isNull();
      assertThat(reads.get("k", TTL, key -> "well")).isEqualTo("well");
      assertThatThrownBy(
              () ->
                  reads.get(
                      "other",
                      TTL,
                      key -> {
                        throw new IOException("checked");
                      }))
          .isInstanceOf(SheafException.class)
          .hasCauseInstanceOf(IOException.class)
          .hasMessageContaining("checked");
    }
  }

  @ForEachServer
  void noValue_isNotRemembered_unlessAskedFor(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      AtomicInteger loads = new AtomicInteger();
      Loader<String, String> none =
          key -> {
            loads.incrementAndGet();
            return null;
          };
      assertThat(sheaf.readThrough("k", TTL, none)).isNull();
      assertThat(sheaf.readThrough("k", TTL, none)).isNull();
      assertThat(loads).hasValue(2);

      ReadThrough<String, String> remembering =
          sheaf.readThrough(patient().absent("<none>").build());
      assertThat(remembering.get("k", TTL, none)).isNull();
      awaitCached(sheaf, "k", "<none>");
      assertThat(sheaf.sync().pttl("k")).isLessThanOrEqualTo(66_000);
      assertThat(remembering.get("k", TTL, none)).isNull();
      assertThat(remembering.getAll(List.of("k"), TTL, missing -> Map.of())).isEmpty();
      assertThat(loads).hasValue(3);
    }
  }

  @ForEachServer
  void manyKeys_areReadInOrder_andTheMissingOnesLoadedTogether(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      sheaf.sync().set("b", "cached");
      List<Set<String>> asked = new ArrayList<>();
      Loader<Set<String>, Map<String, String>> loader =
          missing -> {
            asked.add(Set.copyOf(missing));
            Map<String, String> loaded = new HashMap<>();
            missing.forEach(key -> loaded.put(key, "loaded " + key));
            loaded.remove("d");
            loaded.put("unasked", "ignored");
            return loaded;
          };
      Map<String, String> values =
          sheaf.readThroughAll(List.of("a", "b", "c", "b", "d"), TTL, loader);
      assertThat(values)
          .containsExactly(
              Map.entry("a", "loaded a"), Map.entry("b", "cached"), Map.entry("c", "loaded c"));
      assertThat(asked).containsExactly(Set.of("a", "c", "d"));
      awaitCached(sheaf, "a", "loaded a");
      awaitCached(sheaf, "c", "loaded c");
      assertThat(sheaf.sync().get("unasked")).isNull();
      assertThat(sheaf.readThroughAll(List.of(), TTL, loader)).isEmpty();
      assertThat(asked).hasSize(1);
    }
  }

  @ForEachServer
  void twoManyKeyReads_thatOverlapCrosswise_doNotWaitForEachOther(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      ReadThrough<String, String> reads = sheaf.readThrough(PATIENT);
      CountDownLatch bothLoad = new CountDownLatch(2);
      AtomicInteger loadsOfShared = new AtomicInteger();
      Loader<Set<String>, Map<String, String>> loader =
          missing -> {
            bothLoad.countDown();
            bothLoad.await();
            Map<String, String> loaded = new HashMap<>();
            missing.forEach(key -> loaded.put(key, "v"));
            loadsOfShared.addAndGet((int) missing.stream().filter("xy"::contains).count());
            return loaded;
          };
      Future<Map<String, String>> one =
          callers.submit(() -> reads.getAll(List.of("x", "1", "y"), TTL, loader));
      Future<Map<String, String>> two =
          callers.submit(() -> reads.getAll(List.of("y", "2", "x"), TTL, loader));
      assertThat(one.get(20, TimeUnit.SECONDS)).containsOnlyKeys("x", "1", "y");
      assertThat(two.get(20, TimeUnit.SECONDS)).containsOnlyKeys("x", "2", "y");
      assertThat(loadsOfShared).hasValue(2);
    }
  }

  @ForEachServer
  void keysThatAreArrays_areSharedByTheirContent(ServerUnderTest server) throws Exception {
    try (Sheaf<byte[], byte[]> sheaf =
        Sheaf.builder(server.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
      byte[] none = {0};
      ReadThrough<byte[], byte[]> reads =
          sheaf.readThrough(
              ReadThroughOptions.<byte[]>builder().readTimeout(SOON).absent(none).build());
      AtomicInteger loads = new AtomicInteger();
      CountDownLatch mayEnd = new CountDownLatch(1);
      List<Future<byte[]>> all = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        all.add(
            callers.submit(
                () ->
                    reads.get(
                        new byte[] {1, 2},
                        TTL,
                        key -> {
                          loads.incrementAndGet();
                          mayEnd.await();
                          return null;
                        })));
      }
      Await.until("a load", SOON, () -> loads.get() > 0);
      mayEnd.countDown();
      for (Future<byte[]> each : all) {
        assertThat(each.get()).isNull();
      }
      assertThat(loads).hasValue(1);
      byte[] key = {1, 2};
      Await.until("the mark", SOON, () -> sheaf.sync().get(key) != null);
      assertThat(reads.get(key, TTL, missing -> new byte[] {9})).isNull();
      Map<byte[], byte[]> twice =
          reads.getAll(List.of(new byte[] {3}, new byte[] {3}), TTL, missing -> new HashMap<>());
      assertThat(twice).isEmpty();
    }
  }

  @ForEachServer
  void loaderThatReadsItsOwnKey_isToldSo(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      assertThatThrownBy(
              () ->
                  sheaf.readThrough("k", TTL, key -> sheaf.readThrough("k", TTL, again -> "never")))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("wait for itself");
      assertThat(sheaf.readThrough("k", TTL, key -> sheaf.readThrough("j", TTL, other -> "j")))
          .isEqualTo("j");
    }
  }

  @ForEachServer
  void moreLoadsThanTheLimit_areNotShared_butServed(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = connect(server)) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      List<String> keys = IntStream.range(0, ReadThrough.MAX_LOADS).mapToObj(i -> "k" + i).toList();
      CompletableFuture<Void> loading = new CompletableFuture<>();
      CompletableFuture<Map<String, String>> mayEnd = new CompletableFuture<>();
      CompletableFuture<Map<String, String>> first =
          reads.getAllAsync(
              keys,
              TTL,
              missing -> {
                loading.complete(null);
                return mayEnd;
              });
      loading.get(SOON.toSeconds(), TimeUnit.SECONDS);
      AtomicInteger loads = new AtomicInteger();
      Loader<String, String> nested =
          key -> {
            loads.incrementAndGet();
            // Were this load shared, the loader would be told not to wait for itself.
            return reads.get(
                key,
                TTL,
                again -> {
                  loads.incrementAndGet();
                  return "own";
                });
          };
      assertThat(reads.get("one more", TTL, nested)).isEqualTo("own");
      assertThat(loads).hasValue(2);
      mayEnd.complete(Map.of("k0", "v"));
      assertThat(first.get(SOON.toSeconds(), TimeUnit.SECONDS))
          .containsExactly(Map.entry("k0", "v"));
    }
  }

  @ForEachServer
  void interruptedCaller_isToldSo(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> sheaf.readThrough("k", TTL, key -> "v"))
          .isInstanceOf(RedisCommandInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> sheaf.readThroughAll(List.of("k"), TTL, missing -> Map.of()))
          .isInstanceOf(RedisCommandInterruptedException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @ForEachServer
  void badArguments_areNamed(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = connect(server)) {
      assertThatThrownBy(() -> sheaf.readThrough("k", Duration.ZERO, key -> "v"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("TTL");
      assertThatThrownBy(() -> sheaf.readThrough(null, TTL, key -> "v"))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> sheaf.readThrough("k", TTL, null))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> sheaf.readThroughAll(List.of("k"), TTL, missing -> null))
          .isInstanceOf(NullPointerException.class)
          .hasMessageContaining("no map");
    }
  }

  @ForEachServer
  void readInTheMiddleOfABatch_isNotHeldBackWithIt(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      ReadThrough<String, String> reads = sheaf.readThrough(PATIENT);
      sheaf.sync().set("k", "cached");
      List<String> read = new ArrayList<>();
      Deferred<String> other =
          batch.add(
              redis -> {
                read.add(reads.get("k", TTL, key -> "loaded"));
                read.addAll(reads.getAll(List.of("k"), TTL, missing -> Map.of()).values());
                return redis.get("k");
              });
      assertThat(other.get()).isEqualTo("cached");
      assertThat(read).containsExactly("cached", "cached");
    }
  }

  @ForEachServer
  void meters_showReadsLoadsAndWrites(ServerUnderTest server) {
    MeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).name("shop").connect()) {
      ReadThrough<String, String> reads = sheaf.readThrough(PATIENT);
      reads.get("k", TTL, key -> "v");
      awaitCached(sheaf, "k", "v");
      reads.get("k", TTL, key -> "v");
      assertThat(count(registry, "reads", "miss")).isEqualTo(1);
      assertThat(count(registry, "reads", "hit")).isEqualTo(1);
      assertThat(count(registry, "loads", "own")).isEqualTo(1);
      Await.until("the write", SOON, () -> count(registry, "writes", "written") == 1);
      assertThat(registry.getMeters())
          .filteredOn(meter -> meter.getId().getName().startsWith("sheaf.readthrough"))
          .allMatch(meter -> "shop".equals(meter.getId().getTag("client")), "tagged");
    }
  }

  private static double count(MeterRegistry registry, String what, String outcome) {
    return registry.get("sheaf.readthrough." + what).tag("outcome", outcome).counter().count();
  }
}
