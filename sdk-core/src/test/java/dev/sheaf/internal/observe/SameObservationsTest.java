// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.BatchingClient;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.event.command.CommandFailedEvent;
import io.lettuce.core.event.command.CommandListener;
import io.lettuce.core.event.command.CommandStartedEvent;
import io.lettuce.core.event.command.CommandSucceededEvent;
import io.lettuce.core.metrics.MicrometerCommandLatencyRecorder;
import io.lettuce.core.metrics.MicrometerOptions;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * One application runs on plain Lettuce and on Sheaf: spans, latencies and events of commands are
 * the same, one by one, though most commands travelled otherwise.
 */
class SameObservationsTest {

  /** How many commands the busy part calls: {@code -Dsheaf.observed.commands=1000000} for many. */
  private static final int COMMANDS = Integer.getInteger("sheaf.observed.commands", 8_000);

  private static final int THREADS = 16;
  private static final Duration TIMEOUT = Duration.ofMillis(400);

  /** What was observed of one run. */
  private record Observed(
      Map<String, Integer> spans, Map<String, Long> latencies, Map<String, Integer> events) {}

  @Test
  void applicationOnSheaf_isObservedAsOnLettuce() throws Exception {
    Observed plain = run(false);
    Observed sheaf = run(true);
    assertThat(plain.spans()).hasSizeGreaterThan(50);
    assertSame(sheaf.spans(), plain.spans());
    assertThat(plain.latencies()).hasSizeGreaterThan(10);
    assertSame(sheaf.latencies(), plain.latencies());
    assertThat(plain.events()).hasSizeGreaterThan(20);
    assertSame(sheaf.events(), plain.events());
  }

  /** Says what differs, and not all that there is. */
  private static <N> void assertSame(Map<String, N> sheaf, Map<String, N> plain) {
    Map<String, N> onlySheaf = new TreeMap<>(sheaf);
    onlySheaf.entrySet().removeAll(plain.entrySet());
    Map<String, N> onlyPlain = new TreeMap<>(plain);
    onlyPlain.entrySet().removeAll(sheaf.entrySet());
    assertThat(onlySheaf).as("on Lettuce alone there were %s", onlyPlain).isEmpty();
    assertThat(onlyPlain).isEmpty();
  }

  private static Observed run(boolean onSheaf) throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    RecordingTracing tracing = new RecordingTracing();
    Events events = new Events();
    ClientResources resources =
        ClientResources.builder()
            .tracing(tracing)
            .commandLatencyRecorder(
                new MicrometerCommandLatencyRecorder(registry, MicrometerOptions.create()))
            .build();
    try (EmbeddedServer server = EmbeddedServer.start();
        LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", server.port()).start()) {
      RedisURI uri = RedisURI.builder().withHost("127.0.0.1").withPort(proxy.port()).build();
      ClientOptions options =
          ClientOptions.builder().timeoutOptions(TimeoutOptions.enabled()).build();
      BatchingClient batching = null;
      RedisClient client;
      if (onSheaf) {
        batching =
            Sheaf.builder(List.of(uri))
                .clientResources(resources)
                .clientOptions(options)
                .serverClient();
        client = (RedisClient) batching.lettuce();
      } else {
        client = RedisClient.create(resources, uri);
        client.setOptions(options);
      }
      client.addListener(events);
      try {
        application(client, server, proxy);
      } finally {
        close(client, batching);
      }
      assertThat(tracing.open()).isEmpty();
      String port = Integer.toString(proxy.port());
      assertThat(registry.find("lettuce.command.completion").timers())
          .allMatch(timer -> timer.max(TimeUnit.SECONDS) < 60);
      return new Observed(withoutPort(tracing.kinds(), port), counts(registry), events.counts());
    } finally {
      resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private static void close(AbstractRedisClient client, BatchingClient batching) {
    client.shutdown();
    if (batching != null) {
      batching.close();
    }
  }

  private static Map<String, Integer> withoutPort(Map<String, Integer> kinds, String port) {
    Map<String, Integer> without = new TreeMap<>();
    kinds.forEach((kind, count) -> without.merge(plain(kind, port), count, Integer::sum));
    return without;
  }

  /** Without what differs from run to run, and what only Sheaf says of a time-out. */
  private static String plain(String kind, String port) {
    return kind.replace(port, "PORT")
        .replaceAll("error=\\w+(\\. Command timed out|[^}]* within)[^}]*}", "error=late}");
  }

  private static Map<String, Long> counts(SimpleMeterRegistry registry) {
    Map<String, Long> counts = new TreeMap<>();
    for (Timer timer :
        Search.in(registry).name(name -> name.startsWith("lettuce.command.")).timers()) {
      counts.merge(
          timer.getId().getName() + " " + timer.getId().getTag("command"),
          timer.count(),
          Long::sum);
    }
    return counts;
  }

  // ---- the application

  private static void application(RedisClient client, EmbeddedServer server, LatencyProxy proxy)
      throws Exception {
    StatefulRedisConnection<String, String> connection = client.connect();
    RedisCommands<String, String> sync = connection.sync();
    RedisAsyncCommands<String, String> async = connection.async();
    RecordingTracing.in("fill", () -> fill(sync));
    RecordingTracing.in("kinds", () -> kinds(sync));
    RecordingTracing.in("errors", () -> errors(sync));
    RecordingTracing.in("page", () -> page(async));
    page(async);
    RecordingTracing.in("transaction", () -> transaction(sync));
    RecordingTracing.in("reactive", () -> connection.reactive().get("key:1").block());
    busy(sync, async);
    RecordingTracing.in("cancelled", () -> cancelled(async, server, proxy));
    Duration usual = connection.getTimeout();
    connection.setTimeout(TIMEOUT);
    RecordingTracing.in("late", () -> late(async, server, proxy));
    connection.setTimeout(usual);
    RecordingTracing.in("last", sync::ping);
  }

  private static void fill(RedisCommands<String, String> sync) {
    for (int i = 0; i < 100; i++) {
      sync.set("key:" + i, "value:" + i);
      sync.hset("hash", "field:" + i, "value:" + i);
    }
    sync.lpush("list", "a", "b");
  }

  private static void kinds(RedisCommands<String, String> sync) {
    sync.get("key:1");
    sync.get("none");
    sync.hget("hash", "field:1");
    sync.hget("hash", "none");
    sync.hgetall("hash");
    sync.incr("counter");
    sync.lrange("list", 0, -1);
    sync.expire("counter", 100);
    sync.mget("key:1", "key:2");
    sync.mset(Map.of("key:200", "x"));
    sync.eval("return 1", ScriptOutputType.INTEGER);
    sync.exists("key:1");
    sync.del("key:200");
  }

  private static void errors(RedisCommands<String, String> sync) {
    assertThat(catchThrowable(() -> sync.get("list"))).hasMessageContaining("WRONGTYPE");
    assertThat(catchThrowable(() -> sync.hget("list", "f"))).hasMessageContaining("WRONGTYPE");
    assertThat(catchThrowable(() -> sync.incr("key:1"))).hasMessageContaining("integer");
    assertThat(catchThrowable(() -> sync.evalsha("0".repeat(40), ScriptOutputType.INTEGER)))
        .hasMessageContaining("NOSCRIPT");
  }

  /** Reads that travel as one: values, missing ones, and of a wrong type. */
  private static void page(RedisAsyncCommands<String, String> async) {
    List<RedisFuture<?>> futures = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      futures.add(async.get("key:" + i));
    }
    futures.add(async.get("list"));
    futures.add(async.get("key:1"));
    for (int i = 0; i < 120; i++) {
      futures.add(async.hget("hash", "field:" + i));
    }
    futures.add(async.hget("list", "field"));
    futures.add(async.hget("list", "field:2"));
    futures.forEach(SameObservationsTest::await);
  }

  private static void transaction(RedisCommands<String, String> sync) {
    sync.multi();
    sync.set("key:1", "again");
    sync.get("key:1");
    sync.exec();
    sync.multi();
    sync.get("key:1");
    sync.discard();
  }

  /** Threads at once, each with a trace context of its own, or none. */
  private static void busy(
      RedisCommands<String, String> sync, RedisAsyncCommands<String, String> async)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int thread = t;
      String context = t % 4 == 0 ? null : "thread:" + t;
      threads.add(
          new Thread(
              () -> RecordingTracing.in(context, () -> busy(thread, sync, async)), "busy-" + t));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void busy(
      int thread, RedisCommands<String, String> sync, RedisAsyncCommands<String, String> async) {
    for (int i = 0; i < COMMANDS / THREADS; i++) {
      String key = "key:" + (i % 7 == 0 ? 1_000 + i % 50 : i % 100);
      switch (i % 10) {
        case 0 -> sync.set("own:" + thread, key);
        case 1 -> await(async.hget("hash", "field:" + i % 150));
        case 2 -> await(async.get(i % 100 == 2 ? "list" : key));
        default -> sync.get(key);
      }
    }
  }

  /** Commands that were written when their callers lost interest. */
  private static void cancelled(
      RedisAsyncCommands<String, String> async, EmbeddedServer server, LatencyProxy proxy) {
    proxy.pauseToClient(true);
    List<RedisFuture<?>> futures = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      futures.add(async.get("key:" + i));
      futures.add(async.get("none:" + i));
    }
    futures.add(async.set("mark:cancelled", "1"));
    awaitMark(server, "mark:cancelled");
    for (int i = 0; i < futures.size(); i += 3) {
      futures.get(i).cancel(true);
    }
    proxy.pauseToClient(false);
    futures.forEach(SameObservationsTest::await);
    await(async.get("key:1"));
  }

  /** Commands whose replies come after their time. */
  private static void late(
      RedisAsyncCommands<String, String> async, EmbeddedServer server, LatencyProxy proxy) {
    proxy.pauseToClient(true);
    List<RedisFuture<?>> futures = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      futures.add(async.hget("hash", "field:" + i));
      futures.add(async.incr("counter"));
    }
    futures.add(async.set("mark:late", "1"));
    awaitMark(server, "mark:late");
    for (RedisFuture<?> future : futures) {
      assertThat(catchThrowable(() -> future.toCompletableFuture().join()))
          .hasCauseInstanceOf(RedisCommandTimeoutException.class);
    }
    proxy.pauseToClient(false);
    await(async.get("key:2"));
  }

  private static void awaitMark(EmbeddedServer server, String mark) {
    Await.until(
        "the server to have run " + mark,
        Duration.ofSeconds(10),
        () -> server.data().get(mark).isPresent());
  }

  /** Waits for its end, whatever it is. */
  private static void await(RedisFuture<?> future) {
    future.toCompletableFuture().handle((value, failure) -> true).join();
  }

  /** Counts what listeners are told. */
  private static final class Events implements CommandListener {

    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    Map<String, Integer> counts() {
      return new TreeMap<>(counts);
    }

    private void count(String event) {
      counts.merge(event, 1, Integer::sum);
    }

    @Override
    public void commandStarted(CommandStartedEvent event) {
      count(event.getCommand().getType() + " started");
    }

    @Override
    public void commandSucceeded(CommandSucceededEvent event) {
      count(event.getCommand().getType() + " succeeded");
    }

    @Override
    public void commandFailed(CommandFailedEvent event) {
      count(event.getCommand().getType() + " failed: " + event.getCause().getClass());
    }
  }
}
