// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.readthrough;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;

/** Reads that block no thread. */
@Timeout(180)
class AsyncReadThroughTest {

  private static final Duration TTL = Duration.ofMinutes(10);
  private static final Duration SOON = Duration.ofSeconds(10);

  private static ReadThroughOptions.Builder<String> patient() {
    return ReadThroughOptions.<String>builder().readTimeout(SOON);
  }

  private static <T> T now(CompletableFuture<T> read) throws Exception {
    return read.get(20, TimeUnit.SECONDS);
  }

  private static CompletionStage<String> value(String value) {
    return CompletableFuture.completedFuture(value);
  }

  @ForEachServer
  void miss_isLoadedAndWrittenBack_andAHitIsNotLoaded(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().absent("<none>").build());
      assertThat(now(reads.getAsync("k", TTL, key -> value("v")))).isEqualTo("v");
      Await.until("the write", SOON, () -> "v".equals(sheaf.sync().get("k")));
      assertThat(now(reads.getAsync("k", TTL, key -> value("not asked")))).isEqualTo("v");
      assertThat(now(reads.getAsync("none", TTL, key -> value(null)))).isNull();
      Await.until("the mark", SOON, () -> "<none>".equals(sheaf.sync().get("none")));
      assertThat(now(reads.getAsync("none", TTL, key -> value("not asked")))).isNull();
    }
  }

  @ForEachServer
  void manyKeys_areReadInOrder_andTheMissingOnesLoadedTogether(ServerUnderTest server)
      throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      sheaf.sync().set("b", "cached");
      AtomicReference<Set<String>> asked = new AtomicReference<>();
      Map<String, String> values =
          now(
              reads.getAllAsync(
                  List.of("a", "b", "c", "b", "d"),
                  TTL,
                  missing -> {
                    asked.set(Set.copyOf(missing));
                    return CompletableFuture.supplyAsync(
                        () -> Map.of("a", "loaded a", "c", "loaded c"));
                  }));
      assertThat(values)
          .containsExactly(
              Map.entry("a", "loaded a"), Map.entry("b", "cached"), Map.entry("c", "loaded c"));
      assertThat(asked.get()).isEqualTo(Set.of("a", "c", "d"));
      assertThat(now(reads.getAllAsync(List.of(), TTL, missing -> null))).isEmpty();
    }
  }

  @ForEachServer
  void blockingAndAsynchronousReaders_shareOneLoad(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      CompletableFuture<String> load = new CompletableFuture<>();
      AtomicInteger loads = new AtomicInteger();
      Function<String, CompletionStage<String>> loader =
          key -> {
            loads.incrementAndGet();
            return load;
          };
      CompletableFuture<String> first = reads.getAsync("k", TTL, loader);
      Await.until("the load", SOON, () -> loads.get() == 1);
      CompletableFuture<String> given = reads.getAsync("k", TTL, loader);
      CompletableFuture<Map<String, String>> many =
          reads.getAllAsync(List.of("k"), TTL, missing -> null);
      CompletableFuture<String> blocking =
          CompletableFuture.supplyAsync(() -> reads.get("k", TTL, key -> "not asked"));
      given.cancel(true);
      load.complete("v");
      assertThat(now(first)).isEqualTo("v");
      assertThat(now(many)).containsExactly(Map.entry("k", "v"));
      assertThat(now(blocking)).isIn("v", "not asked");
      assertThat(loads).hasValue(1);
    }
  }

  @ForEachServer
  void loaderThatFails_failsItsReaders_andTheNextOneLoads(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      IllegalStateException failure = new IllegalStateException("the database is down");
      assertThatThrownBy(
              () -> now(reads.getAsync("k", TTL, key -> CompletableFuture.failedFuture(failure))))
          .isInstanceOf(ExecutionException.class)
          .hasCause(failure);
      assertThatThrownBy(
              () ->
                  now(
                      reads.getAsync(
                          "k",
                          TTL,
                          key -> {
                            throw failure;
                          })))
          .hasCause(failure);
      assertThatThrownBy(
              () ->
                  now(
                      reads.getAllAsync(
                          List.of("k"),
                          TTL,
                          missing -> CompletableFuture.failedFuture(new IOException("checked")))))
          .hasCauseInstanceOf(SheafException.class)
          .hasRootCauseMessage("checked");
      assertThatThrownBy(() -> now(reads.getAsync("k", TTL, key -> null)))
          .hasCauseInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> now(reads.getAllAsync(List.of("k"), TTL, missing -> noMap())))
          .hasCauseInstanceOf(NullPointerException.class)
          .hasMessageContaining("no map");
      assertThat(now(reads.getAsync("k", TTL, key -> value("well")))).isEqualTo("well");
    }
  }

  private static CompletionStage<Map<String, String>> noMap() {
    return CompletableFuture.completedFuture(null);
  }

  @ForEachServer
  void loadThatHangs_isTakenOver(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads =
          sheaf.readThrough(patient().maxLoadWait(Duration.ofMillis(50)).build());
      CompletableFuture<String> hangs = new CompletableFuture<>();
      CompletableFuture<String> first = reads.getAsync("k", TTL, key -> hangs);
      assertThat(now(reads.getAsync("k", TTL, key -> value("new")))).isEqualTo("new");
      assertThat(reads.getAll(List.of("k"), TTL, missing -> new HashMap<>())).hasSize(1);
      assertThat(first).isNotDone();
    }
  }

  @ForEachServer
  void badArguments_areNamed(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      ReadThrough<String, String> reads = sheaf.readThrough(patient().build());
      assertThatThrownBy(() -> reads.getAsync("k", Duration.ZERO, key -> value("v")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("TTL");
      assertThatThrownBy(() -> reads.getAsync(null, TTL, key -> value("v")))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> reads.getAllAsync(List.of("k"), TTL, null))
          .isInstanceOf(NullPointerException.class);
    }
  }
}
