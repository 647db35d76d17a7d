// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each load ends for all who wait for it, whatever the loader, its result or the codec does. */
@Timeout(180)
class ReadThroughEndingTest {

  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofSeconds(10);

  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void stopThreads() {
    threads.shutdownNow();
  }

  private static ReadThroughOptions.Builder<String> patient() {
    return ReadThroughOptions.<String>builder().readTimeout(SOON);
  }

  /** Bound far below the test's own, so that a wait that is not bounded fails the test. */
  private static ReadThroughOptions<String> impatient() {
    return patient().maxLoadWait(Duration.ofMillis(50)).build();
  }

  @Test
  void loadersMapThatThrows_failsTheRead_andTheNextOneLoads() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      Map<String, String> broken =
          new AbstractMap<>() {
            @Override
            public Set<Entry<String, String>> entrySet() {
              throw new UnsupportedOperationException("no entries");
            }
          };
      assertThatThrownBy(() -> reads.getAll(List.of("a", "b"), TTL, missing -> broken))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(threads.submit(() -> reads.get("a", TTL, key -> "v")).get(20, TimeUnit.SECONDS))
          .isEqualTo("v");
      assertThat(threads.submit(() -> reads.get("b", TTL, key -> "v")).get(20, TimeUnit.SECONDS))
          .isEqualTo("v");
    }
  }

  /** A codec that fails with an Error for one value, as one does whose class is not there. */
  private static final class FailingCodec extends StringCodec {
    @Override
    public ByteBuffer encodeValue(String value) {
      if (value.equals("bad")) {
        throw new NoClassDefFoundError("a class of the codec");
      }
      return super.encodeValue(value);
    }

    @Override
    public void encodeValue(String value, io.netty.buffer.ByteBuf target) {
      if (value.equals("bad")) {
        throw new NoClassDefFoundError("a class of the codec");
      }
      super.encodeValue(value, target);
    }
  }

  @Test
  void codecThatFailsWithAnError_costsTheCacheTheValue_andNobodyTheRead() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf =
            Sheaf.builder(server.uri())
                .codec(new FailingCodec())
                .meterRegistry(registry)
                .connect()) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      assertThat(reads.get("k", TTL, key -> "bad")).isEqualTo("bad");
      assertThat(
              threads
                  .submit(() -> reads.getAll(List.of("k"), TTL, missing -> Map.of("k", "bad")))
                  .get(20, TimeUnit.SECONDS))
          .isEqualTo(Map.of("k", "bad"));
      Await.until(
          "both writes to end",
          SOON,
          () ->
              registry.get("sheaf.readthrough.writes").tag("outcome", "failed").counter().count()
                  >= 1);
    }
  }

  @Test
  void loaderThatReadsItsKeyOnAnotherThread_isServedWithinTheBound() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(impatient());
      Future<String> read =
          threads.submit(
              () ->
                  reads.get(
                      "k",
                      TTL,
                      key -> threads.submit(() -> reads.get(key, TTL, again -> "inner")).get()));
      assertThat(read.get(20, TimeUnit.SECONDS)).isEqualTo("inner");
    }
  }

  @Test
  void loadersThatReadEachOthersKeys_areServedWithinTheBound() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(impatient());
      CountDownLatch bothLoad = new CountDownLatch(2);
      Future<Map<String, String>> one =
          threads.submit(
              () -> reads.getAll(List.of("a", "x"), TTL, crossing(reads, bothLoad, "y")));
      Future<Map<String, String>> two =
          threads.submit(() -> reads.getAll(List.of("y"), TTL, crossing(reads, bothLoad, "x")));
      assertThat(one.get(20, TimeUnit.SECONDS)).containsOnlyKeys("a", "x");
      assertThat(two.get(20, TimeUnit.SECONDS)).containsOnlyKeys("y");
    }
  }

  private static Loader<Set<String>, Map<String, String>> crossing(
      ReadThrough<String, String> reads, CountDownLatch bothLoad, String other) {
    return missing -> {
      bothLoad.countDown();
      bothLoad.await();
      reads.getAll(List.of(other), TTL, keys -> Map.of(other, "direct"));
      Map<String, String> loaded = new HashMap<>();
      missing.forEach(key -> loaded.put(key, "v"));
      return loaded;
    };
  }

  @Test
  void loadThatHangs_isTakenOverOnce_andSharedByAllWhoWaited() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads =
          sheaf.readThrough(patient().maxLoadWait(Duration.ofSeconds(1)).build());
      CountDownLatch hanging = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      Future<String> hung =
          threads.submit(
              () ->
                  reads.get(
                      "k",
                      TTL,
                      key -> {
                        hanging.countDown();
                        release.await();
                        return "late";
                      }));
      hanging.await();
      AtomicInteger loads = new AtomicInteger();
      CountDownLatch both = new CountDownLatch(1);
      Loader<String, String> loader =
          key -> {
            loads.incrementAndGet();
            both.await();
            return "new";
          };
      Future<String> first = threads.submit(() -> reads.get("k", TTL, loader));
      Future<String> second = threads.submit(() -> reads.get("k", TTL, loader));
      Await.until("the load to be taken over", SOON, () -> loads.get() > 0);
      both.countDown();
      assertThat(first.get(20, TimeUnit.SECONDS)).isEqualTo("new");
      assertThat(second.get(20, TimeUnit.SECONDS)).isEqualTo("new");
      assertThat(loads).hasValue(1);
      release.countDown();
      assertThat(hung.get(20, TimeUnit.SECONDS)).isEqualTo("late");
    }
  }

  @Test
  void readThatWaitsForAnothersLoad_endsThoughItsClientWasClosed() throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (EmbeddedServer server = EmbeddedServer.start()) {
      Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).meterRegistry(registry).connect();
      ReadThrough<String, String> reads =
          sheaf.readThrough(patient().maxLoadWait(Duration.ofSeconds(2)).build());
      AtomicInteger loads = new AtomicInteger();
      CompletableFuture<String> hung =
          reads.getAsync(
              "k",
              TTL,
              key -> {
                loads.incrementAndGet();
                return new CompletableFuture<>();
              });
      Await.until("the load that hangs", SOON, () -> loads.get() == 1);
      CompletableFuture<String> waits =
          reads.getAsync("k", TTL, key -> CompletableFuture.completedFuture("own"));
      sheaf.close();
      assertThat(waits.get(20, TimeUnit.SECONDS)).isEqualTo("own");
      assertThat(hung).isNotDone();
    }
  }
}
