// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.scripts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafException;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.CompressionRefusedException;
import dev.sheaf.compression.Compressor;
import dev.sheaf.compression.ValueCompression;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

class ScriptsContractTest {

  private static final Script<Long> INCR =
      Script.of("return redis.call('INCR', KEYS[1])")
          .named("incr")
          .keys(1)
          .args(0)
          .returns(ResultType.INTEGER);

  private static final Script<Long> COUNT_KEYS =
      Script.of("return #KEYS").named("count-keys").returns(ResultType.INTEGER);

  private static final Script<@Nullable String> GET =
      Script.of("return redis.call('GET', KEYS[1])").readOnly().returns(ResultType.TEXT);

  private static void flushScripts(ServerUnderTest server) {
    server.nodes().forEach(node -> server.command(node, "SCRIPT", "FLUSH"));
  }

  private static long calls(ServerUnderTest server, String command) {
    return server.commandCalls().getOrDefault(command, 0L);
  }

  @ForEachServer
  void call_sendsTheDigest_notTheText(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      assertThat(incr.call(List.of("n"))).isEqualTo(1);
      assertThat(incr.callAsync(List.of("n")).join()).isEqualTo(2);
      assertThat(incr.callReactive(List.of("n")).block()).isEqualTo(3);
      assertThat(calls(server, "evalsha")).isEqualTo(3);
      assertThat(calls(server, "eval")).isZero();
    }
  }

  /** A new socket gets the texts ahead of its first script, but not in the midst of MULTI. */
  @ForEachServer(on = Topology.STANDALONE)
  void firstCallInsideATransaction_bringsNothingElseIntoIt(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.scripts().register(INCR);
      RedisCommands<String, String> redis = sheaf.standalone().sync();
      redis.multi();
      redis.evalsha(INCR.sha1(), ScriptOutputType.INTEGER, "n");
      TransactionResult result = redis.exec();
      assertThat(result).containsExactly(1L);
    }
  }

  @ForEachServer
  void register_loadsOnEveryPrimary(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.scripts().register(INCR);
      assertThat(server.primaries())
          .allSatisfy(
              node ->
                  assertThat(server.command(node, "SCRIPT", "EXISTS", INCR.sha1()))
                      .isEqualTo(List.of(1L)));
    }
  }

  @ForEachServer
  void flushedScript_isCalledAllTheSame_once_andLoadedAgain(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).name("shop").connect()) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      for (int i = 1; i <= 20; i++) {
        flushScripts(server);
        assertThat(incr.call(List.of("n"))).isEqualTo(i);
      }
      assertThat(registry.get("sheaf.script.mended").tag("client", "shop").counter().count())
          .isGreaterThanOrEqualTo(19);
      assertThat(registry.get("sheaf.script.calls").tag("script", "incr").timer().count())
          .isEqualTo(20);
      assertThat(calls(server, "script|load")).isGreaterThanOrEqualTo(server.primaries().size());
    }
  }

  @ForEachServer
  void manyAsynchronousCallsAfterAFlush_runOnceEach_inTheirOrder(ServerUnderTest server) {
    Script<Long> append =
        Script.of("return redis.call('RPUSH', KEYS[1], ARGV[1])").returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> script = sheaf.scripts().register(append);
      flushScripts(server);
      List<CompletableFuture<Long>> calls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        calls.add(script.callAsync(List.of("list"), i));
      }
      for (CompletableFuture<Long> call : calls) {
        call.join();
      }
      assertThat(sheaf.sync().llen("list")).isEqualTo(50);
    }
  }

  @ForEachServer
  void batchAfterAFlush_runsEveryCommandInItsPlace(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      for (int round = 0; round < 5; round++) {
        flushScripts(server);
        String prefix = "r" + round + ":";
        List<Deferred<@Nullable String>> reads = new ArrayList<>();
        List<Deferred<Long>> counts = new ArrayList<>();
        try (Batch<String, String> batch = sheaf.batch()) {
          for (int i = 0; i < 100; i++) {
            String key = prefix + i;
            counts.add(batch.call(incr, List.of(key)));
            reads.add(batch.get(key));
            batch.add(redis -> redis.set(key, "100"));
            counts.add(batch.call(incr, List.of(key)));
            reads.add(batch.get(key));
          }
        }
        for (int i = 0; i < 100; i++) {
          assertThat(counts.get(2 * i).get()).isEqualTo(1);
          assertThat(reads.get(2 * i).get()).isEqualTo("1");
          assertThat(counts.get(2 * i + 1).get()).isEqualTo(101);
          assertThat(reads.get(2 * i + 1).get()).isEqualTo("101");
        }
      }
    }
  }

  @ForEachServer
  void batch_sendsTheTextOncePerNode(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      try (Batch<String, String> batch = sheaf.batch()) {
        for (int i = 0; i < 300; i++) {
          batch.call(incr, List.of("k" + i));
        }
      }
      assertThat(calls(server, "eval")).isEqualTo(server.primaries().size());
      assertThat(calls(server, "evalsha")).isEqualTo(300 - server.primaries().size());
    }
  }

  @ForEachServer
  void inOrder_alwaysSendsTheText(ServerUnderTest server) {
    Script<Long> script =
        Script.of("return redis.call('INCR', KEYS[1])").inOrder().returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(script);
      flushScripts(server);
      CompletableFuture<Long> first = incr.callAsync(List.of("n"));
      CompletableFuture<String> read = sheaf.async().get("n").toCompletableFuture();
      assertThat(first.join()).isEqualTo(1);
      assertThat(read.join()).isEqualTo("1");
      assertThat(calls(server, "evalsha")).isZero();
    }
  }

  @ForEachServer
  void wrongCounts_areRefusedBeforeAnythingIsSent(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      assertThatThrownBy(() -> incr.call(List.of()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Script 'incr' takes 1 keys, but was called with 0");
      assertThatThrownBy(() -> incr.call(List.of("a"), 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("Script 'incr' takes 0 arguments, but was called with 1");
      assertThatThrownBy(() -> batch.call(incr, List.of("a", "b")))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> incr.call(Arrays.asList((String) null)))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("Key 1 of script 'incr' is null");
      RegisteredScript<String, Long> any = sheaf.scripts().register(COUNT_KEYS);
      assertThatThrownBy(() -> any.call(List.of("a"), "x", new Object[] {"y"}))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("Argument 2 of script 'count-keys' is a [Ljava.lang.Object;");
      assertThat(calls(server, "evalsha") + calls(server, "eval")).isZero();
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void keysOfSeveralSlots_areRefused_withTheSlotsAndTheWayOut(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> count = sheaf.scripts().register(COUNT_KEYS);
      assertThatThrownBy(() -> count.call(List.of("a", "b", "c", "d", "e", "f", "g", "h", "i")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a (slot 15495), b (slot 3300)")
          .hasMessageContaining("and 1 more")
          .hasMessageContaining("scatter");
      assertThat(count.call(List.of("{x}a", "{x}b"))).isEqualTo(2);
      assertThat(calls(server, "evalsha")).isEqualTo(1);
    }
  }

  @ForEachServer
  void failingScript_namesItself_andHarmsNobody(ServerUnderTest server) {
    Script<Long> wrong =
        Script.of("return redis.call('INCR', KEYS[1])").named("bump").returns(ResultType.INTEGER);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Batch<String, String> batch = sheaf.batch()) {
      sheaf.sync().set("text", "abc");
      RegisteredScript<String, Long> bump = sheaf.scripts().register(wrong);
      assertThatThrownBy(() -> bump.call(List.of("text")))
          .isInstanceOf(ScriptException.class)
          .hasMessageStartingWith("Script 'bump' failed: ERR value is not an integer")
          .hasCauseInstanceOf(RedisCommandExecutionException.class);
      Deferred<Long> failing = batch.call(bump, List.of("text"));
      Deferred<Long> fine = batch.call(bump, List.of("n"));
      assertThat(fine.get()).isEqualTo(1);
      assertThatThrownBy(failing::get).isInstanceOf(ScriptException.class);
    }
  }

  @ForEachServer
  void textThatCannotBeCompiled_failsRegistration_withFileLineAndReason(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Script<Long> broken =
          Script.of("local a = 1\nlocal b = = 2\nreturn a")
              .named("broken")
              .returns(ResultType.INTEGER);
      assertThatThrownBy(() -> sheaf.scripts().register(broken))
          .isInstanceOf(ScriptException.class)
          .hasMessageContaining("'broken'")
          .hasMessageContaining("line 2")
          .hasMessageContaining("unexpected symbol near '='");
    }
  }

  @ForEachServer
  void readOnlyScript_mayNotWrite(ServerUnderTest server) {
    Script<Long> liar =
        Script.of("return redis.call('INCR', KEYS[1])").readOnly().returns(ResultType.INTEGER);
    Script<@Nullable String> honest =
        Script.of("return redis.call('GET', KEYS[1])").readOnly().returns(ResultType.TEXT);
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> writing = sheaf.scripts().register(liar);
      assertThatThrownBy(() -> writing.call(List.of("n")))
          .isInstanceOf(ScriptException.class)
          .hasMessageContaining("read-only");
      RegisteredScript<String, @Nullable String> reading = sheaf.scripts().register(honest);
      flushScripts(server);
      assertThat(reading.call(List.of("n"))).isNull();
      sheaf.sync().set("n", "7");
      assertThat(reading.call(List.of("n"))).isEqualTo("7");
      assertThat(calls(server, "evalsha_ro")).isGreaterThanOrEqualTo(2);
      assertThat(calls(server, "evalsha")).isZero();
    }
  }

  @ForEachServer
  void results_areWhatTheirTypesSay(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(result(sheaf, "return 3.99", ResultType.INTEGER)).isEqualTo(3);
      assertThat(result(sheaf, "return true", ResultType.BOOLEAN)).isTrue();
      assertThat(result(sheaf, "return false", ResultType.BOOLEAN)).isFalse();
      assertThat(result(sheaf, "return 0", ResultType.BOOLEAN)).isFalse();
      assertThat(result(sheaf, "return 'ä'", ResultType.TEXT)).isEqualTo("ä");
      assertThat(result(sheaf, "return nil", ResultType.TEXT)).isNull();
      assertThat(result(sheaf, "return '\\0\\255'", ResultType.BYTES)).containsExactly(0, 255);
      assertThat(result(sheaf, "return redis.status_reply('FINE')", ResultType.STATUS))
          .isEqualTo("FINE");
      assertThat(result(sheaf, "return {1, 2, 3}", ResultType.listOf(ResultType.INTEGER)))
          .containsExactly(1L, 2L, 3L);
      assertThat(result(sheaf, "return {'a', false, 'c'}", ResultType.listOf(ResultType.TEXT)))
          .containsExactly("a", null, "c");
      assertThat(result(sheaf, "return nil", ResultType.listOf(ResultType.TEXT))).isEmpty();
      assertThat(result(sheaf, "return {}", ResultType.listOf(ResultType.TEXT))).isEmpty();
      assertThat(
              result(
                  sheaf,
                  "return {'a', {1, 2}, 'b', {}}",
                  ResultType.mapOf(ResultType.listOf(ResultType.INTEGER))))
          .isEqualTo(Map.of("a", List.of(1L, 2L), "b", List.of()));
      assertThat(result(sheaf, "return {'x'}", ResultType.NOTHING)).isNull();
      Integer number = result(sheaf, "return '42'", ResultType.TEXT.map(Integer::valueOf));
      assertThat(number).isEqualTo(42);
      assertThat(result(sheaf, "return {1, {'x'}, {err='ERR no'}}", ResultType.RAW))
          .satisfies(
              raw -> {
                List<?> list = (List<?>) raw;
                assertThat(list.get(0)).isEqualTo(1L);
                assertThat((byte[]) ((List<?>) list.get(1)).get(0)).containsExactly('x');
                assertThat((Throwable) list.get(2)).hasMessage("ERR no");
              });
    }
  }

  @ForEachServer
  void resultsOfResp3_areTheSame(ServerUnderTest server) {
    String map = "redis.setresp(3) redis.call('HSET', KEYS[1], 'f', 'v') ";
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(
              result(
                  sheaf,
                  map + "return redis.call('HGETALL', KEYS[1])",
                  ResultType.mapOf(ResultType.TEXT)))
          .isEqualTo(Map.of("f", "v"));
      assertThat(result(sheaf, "redis.setresp(3) return {double=3.5}", ResultType.RAW))
          .isEqualTo(3.5);
      assertThat(result(sheaf, "redis.setresp(3) return true", ResultType.BOOLEAN)).isTrue();
      assertThat(result(sheaf, "redis.setresp(3) return nil", ResultType.TEXT)).isNull();
    }
  }

  private static <T extends @Nullable Object> T result(
      Sheaf<String, String> sheaf, String text, ResultType<T> type) {
    return sheaf.scripts().register(Script.of(text).returns(type)).call(List.of("key"));
  }

  @ForEachServer
  void resultOfAnotherType_failsItsCall(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThatThrownBy(() -> result(sheaf, "return 'text'", ResultType.INTEGER))
          .isInstanceOf(SheafException.class)
          .hasMessageContaining("returned a text of 4 bytes, but is declared to return an integer");
      assertThatThrownBy(() -> result(sheaf, "return nil", ResultType.INTEGER))
          .hasMessageContaining("returned nil");
      assertThat(sheaf.sync().ping()).isEqualTo("PONG");
    }
  }

  @ForEachServer
  void arguments_travelAsTheyAre(ServerUnderTest server) {
    Script<List<@Nullable String>> echo =
        Script.of("return ARGV").returns(ResultType.listOf(ResultType.TEXT));
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, List<@Nullable String>> script = sheaf.scripts().register(echo);
      assertThat(
              script.call(List.of("k"), "ä", 1, 2.5, true, 'c', Thread.State.NEW, new byte[] {65}))
          .containsExactly("ä", "1", "2.5", "1", "c", "NEW", "A");
      byte[] stored = sheaf.scripts().encoded("value");
      assertThat(stored).isEqualTo("value".getBytes(StandardCharsets.UTF_8));
      assertThat(sheaf.scripts().decoded(stored)).isEqualTo("value");
    }
  }

  @ForEachServer
  void valuesForScripts_areThoseOfAClientThatCompresses(ServerUnderTest server) {
    CompressionOptions options =
        CompressionOptions.of(CompressionPolicy.of("page:", Compressor.snappy()));
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).compression(options).connect();
        Sheaf<String, String> plain = Sheaf.connect(server.uri())) {
      Scripts<String, String> scripts = sheaf.scripts();
      RegisteredScript<String, String> set =
          scripts.register(
              Script.of("return redis.call('SET', KEYS[1], ARGV[1])").returns(ResultType.STATUS));
      RegisteredScript<String, byte @Nullable []> get =
          scripts.register(
              Script.of("return redis.call('GET', KEYS[1])").returns(ResultType.BYTES));
      RegisteredScript<String, Boolean> replace = scripts.register(ScriptLibrary.COMPARE_AND_SET);
      String value = "some text ".repeat(100);

      set.call(List.of("page:1"), scripts.encoded("page:1", value));
      byte[] stored = get.call(List.of("page:1"));
      assertThat(stored).hasSizeLessThan(value.length() / 2);
      assertThat(scripts.decoded(stored)).isEqualTo(value);
      assertThat(sheaf.sync().get("page:1")).isEqualTo(value);
      assertThat(plain.scripts().decoded(value.getBytes(StandardCharsets.UTF_8))).isEqualTo(value);

      set.call(List.of("page:2"), scripts.encoded(value));
      assertThat(sheaf.sync().get("page:2")).isEqualTo(value);
      assertThat(plain.sync().get("page:2")).isEqualTo(value);

      assertThatThrownBy(() -> scripts.encodedToCompare("page:1", value))
          .isInstanceOf(CompressionRefusedException.class)
          .hasMessageContaining("1000 bytes", "\"page:1\"", "minBytes=256");
      sheaf.sync().set("page:3", "short");
      sheaf.sync().set("other:1", value);
      assertThat(
              replace.call(
                  List.of("page:3"),
                  scripts.encodedToCompare("page:3", "short"),
                  scripts.encoded("page:3", value)))
          .isTrue();
      assertThat(sheaf.sync().get("page:3")).isEqualTo(value);
      assertThat(
              replace.call(
                  List.of("other:1"),
                  scripts.encodedToCompare("other:1", value),
                  scripts.encoded("other:1", "next")))
          .isTrue();
      assertThat(sheaf.sync().get("other:1")).isEqualTo("next");
    }
  }

  @ForEachServer
  void valueThatLooksCompressed_isEscapedForScriptsToo(ServerUnderTest server) {
    byte[] value =
        ValueCompression.of(CompressionOptions.defaults())
            .compress(new byte[0], "some text ".repeat(100).getBytes(StandardCharsets.UTF_8));
    try (Sheaf<String, byte[]> sheaf =
        Sheaf.builder(server.uri())
            .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
            .compression(CompressionOptions.readOnly())
            .connect()) {
      RegisteredScript<String, String> set =
          sheaf
              .scripts()
              .register(
                  Script.of("return redis.call('SET', KEYS[1], ARGV[1])")
                      .returns(ResultType.STATUS));
      set.call(List.of("k"), sheaf.scripts().encoded(value));
      assertThat(sheaf.sync().get("k")).isEqualTo(value);
      assertThat(sheaf.scripts().decoded(sheaf.scripts().encodedToCompare("k", value)))
          .isEqualTo(value);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void insideATransaction_scriptsRunWithIt(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      flushScripts(server);
      sheaf.standalone().sync().multi();
      CompletableFuture<Long> count = incr.callAsync(List.of("n"));
      assertThat(count).isNotDone();
      sheaf.standalone().sync().exec();
      assertThat(count.join()).isEqualTo(1);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void registrationInsideATransaction_isRefused_andLeavesItAlone(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).commandTimeout(Duration.ofSeconds(30)).connect()) {
      RedisCommands<String, String> redis = sheaf.standalone().sync();
      redis.multi();
      redis.set("k", "v");
      assertThatThrownBy(() -> sheaf.scripts().register(INCR))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("MULTI");
      assertThat(redis.exec()).containsExactly("OK");
      assertThat(sheaf.scripts().register(INCR).call(List.of("n"))).isEqualTo(1);
    }
  }

  /** A call sent before MULTI is found missing while the transaction is open. */
  @ForEachServer(on = Topology.STANDALONE)
  void callThatFindsNoScriptDuringATransaction_staysOutOfIt(ServerUnderTest server)
      throws Exception {
    try (LatencyProxy proxy =
            LatencyProxy.builder()
                .target(server.nodes().get(0).host(), server.nodes().get(0).port())
                .start();
        Sheaf<String, String> sheaf = Sheaf.connect("redis://127.0.0.1:" + proxy.port())) {
      RegisteredScript<String, Long> incr = sheaf.scripts().register(INCR);
      assertThat(incr.call(List.of("n"))).isEqualTo(1);
      flushScripts(server);
      proxy.pauseToClient(true);
      CompletableFuture<Long> late = incr.callAsync(List.of("n"));
      RedisAsyncCommands<String, String> redis = sheaf.standalone().async();
      RedisFuture<String> begun = redis.multi();
      proxy.pauseToClient(false);
      assertThat(begun.get(10, TimeUnit.SECONDS)).isEqualTo("OK");
      redis.set("k", "v");
      assertThat(redis.exec().get(10, TimeUnit.SECONDS)).containsExactly("OK");
      assertThatThrownBy(() -> late.get(10, TimeUnit.SECONDS))
          .hasCauseInstanceOf(ScriptException.class)
          .hasMessageContaining("NOSCRIPT")
          .hasMessageContaining("MULTI");
      assertThat(incr.call(List.of("n"))).isEqualTo(2);
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void askingForTheTopology_loadsNothing(ServerUnderTest server) {
    ClusterClientOptions refreshing =
        ClusterClientOptions.builder()
            .topologyRefreshOptions(
                ClusterTopologyRefreshOptions.builder()
                    .enablePeriodicRefresh(Duration.ofMillis(50))
                    .build())
            .build();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).clientOptions(refreshing).connect()) {
      long loadsBefore = calls(server, "script|load");
      sheaf.scripts().register(INCR);
      long refreshesBefore = calls(server, "cluster|nodes");
      Await.until(
          "some refreshes",
          Duration.ofSeconds(20),
          () -> calls(server, "cluster|nodes") > refreshesBefore + 15);
      assertThat(calls(server, "script|load") - loadsBefore).isEqualTo(server.primaries().size());
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void droppedConnection_findsItsScriptsLoaded_aheadOfEverything(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).connect()) {
      // Read-only, as a call that writes and races with the kill has an unknown outcome.
      RegisteredScript<String, @Nullable String> get = sheaf.scripts().register(GET);
      sheaf.sync().set("k", "v");
      for (int i = 0; i < 5; i++) {
        flushScripts(server);
        server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        assertThat(get.call(List.of("k"))).isEqualTo("v");
      }
      // A call that raced with the kill may have met the flush on the old connection.
      assertThat(registry.get("sheaf.script.mended").counter().count()).isLessThan(5);
    }
  }
}
