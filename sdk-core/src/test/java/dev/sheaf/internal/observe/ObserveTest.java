// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Observe;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.observe.RecordingTracing.Recorded;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which spans there are, and that each that began has one end. */
class ObserveTest {

  private final EmbeddedServer server = EmbeddedServer.start();
  private final LatencyProxy proxy =
      LatencyProxy.builder().target("127.0.0.1", server.port()).start();
  private final RecordingTracing tracing = new RecordingTracing();
  private final ClientResources resources = ClientResources.builder().tracing(tracing).build();
  private Sheaf<String, String> sheaf;

  private void connect(Observe observe) {
    sheaf =
        Sheaf.builder("redis://127.0.0.1:" + proxy.port())
            .clientResources(resources)
            .observe(observe)
            .connect();
    sheaf.sync().set("k", "v");
  }

  @AfterEach
  void stop() {
    sheaf.close();
    proxy.close();
    server.close();
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private List<Recorded> named(String name) {
    return tracing.spans().stream().filter(span -> span.name().equals(name)).toList();
  }

  private void assertEnded() {
    Await.until("all spans to end", Duration.ofSeconds(10), () -> tracing.open().isEmpty());
    assertThat(tracing.spans()).allMatch(span -> span.ends() == 1);
  }

  @Test
  void getAll_isAsManyGets_ofItsCaller() {
    connect(Observe.commands());
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();
    RecordingTracing.in("page", () -> sheaf.getAll(keys));
    assertThat(named("GET")).hasSize(100).allMatch(span -> "page".equals(span.parent()));
    assertThat(named("MGET")).isEmpty();
    // What travelled was no GET, though each was observed: fusion is on.
    assertThat(server.stats().count("mget")).isPositive();
    assertEnded();
  }

  @Test
  void commandWithoutContext_isNoChildOfTheThreadThatWritesIt() throws Exception {
    connect(Observe.commands());
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 8; t++) {
      String context = t % 2 == 0 ? null : "mine";
      String key = t % 2 == 0 ? "without" : "with";
      threads.add(
          new Thread(
              () ->
                  RecordingTracing.in(
                      context, () -> IntStream.range(0, 500).forEach(i -> sheaf.sync().get(key)))));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    for (Recorded span : named("GET")) {
      boolean with = span.tags().get("args").contains("<with>");
      assertThat(span.parent()).isEqualTo(with ? "mine" : null);
    }
    assertThat(named("GET")).hasSize(4_000);
    assertEnded();
  }

  @Test
  void spansEnd_whenTheConnectionIsLost_andWhenTheClientIsClosed() {
    connect(Observe.commands());
    RedisAsyncCommands<String, String> async = sheaf.standalone().async();
    for (int round = 0; round < 3; round++) {
      proxy.pauseToClient(true);
      List<RedisFuture<?>> futures = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        futures.add(async.get("k" + i));
        futures.add(async.incr("n" + i));
      }
      futures.add(async.set("mark" + round, "1"));
      String mark = "mark" + round;
      Await.until(
          "the commands to have run",
          Duration.ofSeconds(10),
          () -> server.data().get(mark).isPresent());
      futures.get(0).cancel(true);
      futures.get(1).cancel(true);
      proxy.resetConnections();
      proxy.pauseToClient(false);
      futures.forEach(
          future -> future.toCompletableFuture().handle((value, failure) -> true).join());
      Await.until("a reply", Duration.ofSeconds(10), () -> sheaf.sync().get("k") != null);
    }
    proxy.refuse(true);
    proxy.dropConnections();
    for (int i = 0; i < 50; i++) {
      async.get("k" + i).cancel(i % 2 == 0);
      async.get("k" + i);
    }
    sheaf.close();
    assertEnded();
  }

  @Test
  void batches_haveASpanForEachWrite_andCommandsNone() {
    connect(Observe.batches());
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "k" + i).toList();
    RecordingTracing.in("page", () -> sheaf.getAll(keys));
    assertEnded();
    assertThat(tracing.spans()).allMatch(span -> span.name().equals("sheaf.batch"));
    assertThat(named("sheaf.batch").stream().map(Recorded::tags))
        .anyMatch(
            tags ->
                tags.get("db.operation.batch.size").equals("100")
                    && tags.get("sheaf.batch.fused").equals("100")
                    && Long.parseLong(tags.get("sheaf.batch.bytes")) > 500
                    && tags.containsKey("sheaf.batch.queue_us"));
  }

  @Test
  void batchOfOneCommand_isAChildOfItsCallersSpan() {
    connect(Observe.batches());
    RecordingTracing.in("alone", () -> sheaf.sync().get("k"));
    assertEnded();
    assertThat(named("sheaf.batch")).anyMatch(span -> "alone".equals(span.parent()));
  }

  @Test
  void sampled_isSomeOfThem() {
    connect(Observe.sampled(10));
    for (int i = 0; i < 2_000; i++) {
      sheaf.sync().get("k");
    }
    assertEnded();
    // So far from 200 that chance does not get there.
    assertThat(named("GET")).hasSizeBetween(80, 400);
  }

  @Test
  void off_isNone() {
    connect(Observe.off());
    sheaf.sync().get("k");
    assertThat(tracing.spans()).isEmpty();
  }

  @Test
  void text_isReadAsWritten_andNothingElse() {
    connect(Observe.off());
    for (Observe observe :
        List.of(Observe.commands(), Observe.batches(), Observe.sampled(100), Observe.off())) {
      assertThat(Observe.parse(observe.toString())).isEqualTo(observe).hasSameHashCodeAs(observe);
    }
    assertThat(Observe.sampled(1)).isNotEqualTo(Observe.sampled(2));
    assertThatThrownBy(() -> Observe.parse("all"))
        .hasMessage("observe must be commands, batches, sampled(n) or off, but was all");
    assertThatThrownBy(() -> Observe.sampled(0)).hasMessageContaining("at least 1, but was 0");
  }
}
