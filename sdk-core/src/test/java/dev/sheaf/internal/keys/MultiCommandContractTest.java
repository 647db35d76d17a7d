// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Deferred;
import dev.sheaf.QueueFullException;
import dev.sheaf.Result;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.SheafException;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.SetArgs;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

class MultiCommandContractTest {

  private static final Result<Boolean> YES = new Result.Value<>(true);
  private static final Result<Boolean> ABSENT = new Result.Absent<>();

  @ForEachServer
  void setAll_writesEveryKey_inTheOrderOfTheMap(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> values = values(500);
      sheaf.sync().lpush("key7", "a list before");
      sheaf.sync().set("key8", "expiring before", SetArgs.Builder.ex(Duration.ofSeconds(100)));

      Map<String, Result<Boolean>> results = sheaf.setAll(values);

      assertThat(new ArrayList<>(results.keySet())).isEqualTo(new ArrayList<>(values.keySet()));
      assertThat(results.values()).containsOnly(YES);
      assertThat(sheaf.sync().get("key7")).isEqualTo("value7");
      assertThat(sheaf.sync().ttl("key8")).isEqualTo(-1);
      assertAll(sheaf, values);
      assertThatThrownBy(() -> results.put("x", YES))
          .isInstanceOf(UnsupportedOperationException.class);
    }
  }

  private static Map<String, String> values(int count) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      values.put("key" + i, "value" + i);
    }
    return values;
  }

  private static void assertAll(Sheaf<String, String> sheaf, Map<String, String> expected) {
    sheaf
        .getAll(expected.keySet())
        .forEach((key, value) -> assertThat(value.orNull()).isEqualTo(expected.get(key)));
  }

  @ForEachServer
  void setAllWithTtl_givesEachKeyItsTimeToLive(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> values = values(100);

      assertThat(sheaf.setAll(values, Duration.ofSeconds(90)).values()).containsOnly(YES);

      assertAll(sheaf, values);
      for (String key : values.keySet()) {
        assertThat(sheaf.sync().pttl(key)).isBetween(30_000L, 90_000L);
      }
      // One command for value and time, so that no key can be left without it.
      assertThat(server.commandCalls()).containsEntry("set", 100L).doesNotContainKey("pexpire");
    }
  }

  @ForEachServer
  void timeToLive_isBoundedAndWhole(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      for (Duration wrong :
          List.of(
              Duration.ZERO,
              Duration.ofNanos(999_999),
              Duration.ofSeconds(-1),
              Duration.ofDays(365_000).plusNanos(1),
              Duration.ofSeconds(Long.MAX_VALUE),
              Duration.ofSeconds(Long.MIN_VALUE))) {
        assertThatThrownBy(() -> sheaf.setAll(Map.of("k", "v"), wrong))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("ttl")
            .hasMessageContaining("1 ms")
            .hasMessageContaining("365000 days")
            .hasMessageContaining(wrong.toString());
        assertThatThrownBy(() -> sheaf.setAllAsync(Map.of("k", "v"), wrong))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> sheaf.setAll(Map.of("k", "v"), null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("ttl");
      assertThatThrownBy(() -> sheaf.setAllAsync(Map.of("k", "v"), null))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("ttl");
      assertThat(server.commandCalls()).doesNotContainKey("set");

      assertThat(sheaf.setAll(Map.of("long", "v"), SheafBuilder.MAX_TTL).get("long"))
          .isEqualTo(YES);
      assertThat(sheaf.sync().get("long")).isEqualTo("v");
      assertThat(sheaf.setAll(Map.of("part", "v"), Duration.ofNanos(60_000_999_999L)).get("part"))
          .isEqualTo(YES);
      assertThat(sheaf.sync().pttl("part")).isBetween(1L, 60_000L);
      assertThat(sheaf.setAll(Map.of("short", "v"), Duration.ofMillis(1)).get("short"))
          .isEqualTo(YES);
    }
  }

  @ForEachServer
  void moreKeysThanASlice_allHaveTheirOutcome(ServerUnderTest server) {
    int count = SheafBuilder.KEYS_PER_SLICE * 2 + 17;
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> values = values(count);
      List<String> keys = new ArrayList<>(values.keySet());
      assertThat(sheaf.setAll(values)).hasSize(count).values().containsOnly(YES);

      Map<String, Result<Boolean>> deleted =
          sheaf.deleteAll(keys.subList(0, SheafBuilder.KEYS_PER_SLICE + 5));
      assertThat(deleted).hasSize(SheafBuilder.KEYS_PER_SLICE + 5).values().containsOnly(YES);

      for (Map<String, Result<Boolean>> answers :
          List.of(sheaf.existsAll(keys), sheaf.touchAll(keys))) {
        assertThat(new ArrayList<>(answers.keySet())).isEqualTo(keys);
        for (int i = 0; i < count; i++) {
          assertThat(answers.get("key" + i))
              .isEqualTo(i < SheafBuilder.KEYS_PER_SLICE + 5 ? ABSENT : YES);
        }
      }
      assertThat(server.commandCalls())
          .containsEntry("set", (long) count)
          .containsEntry("unlink", SheafBuilder.KEYS_PER_SLICE + 5L)
          .containsEntry("exists", (long) count)
          .containsEntry("touch", (long) count);
    }
  }

  /** Also across slices: the first of equal keys is as good as the last. */
  @ForEachServer
  void equalKeys_haveOneOutcome(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().hset("hash", "f", "v");
      List<String> keys = List.of("none", "a", "hash", "a", "none");
      assertThat(sheaf.touchAll(keys))
          .containsExactly(Map.entry("none", ABSENT), Map.entry("a", YES), Map.entry("hash", YES));
      assertThat(sheaf.existsAll(keys))
          .containsExactly(Map.entry("none", ABSENT), Map.entry("a", YES), Map.entry("hash", YES));
      assertThat(sheaf.deleteAll(keys))
          .containsExactly(Map.entry("none", ABSENT), Map.entry("a", YES), Map.entry("hash", YES));
      assertThat(server.commandCalls())
          .containsEntry("touch", 3L)
          .containsEntry("exists", 3L)
          .containsEntry("unlink", 3L);

      sheaf.sync().set("a", "1");
      List<String> twice = new ArrayList<>(Collections.nCopies(SheafBuilder.KEYS_PER_SLICE, "a"));
      twice.add("a");
      assertThat(sheaf.deleteAll(twice)).containsExactly(Map.entry("a", YES));
      assertThat(sheaf.sync().get("a")).isNull();
    }
  }

  @ForEachServer
  void arrays_areKeysOfTheirOwn_andTheLastOfEqualOnesStays(ServerUnderTest server) {
    try (Sheaf<byte[], byte[]> sheaf =
        Sheaf.builder(server.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
      Map<byte[], byte[]> values = new LinkedHashMap<>();
      byte[] first = {1, '\r', '\n'};
      byte[] second = first.clone();
      values.put(first, "first".getBytes(StandardCharsets.US_ASCII));
      values.put(second, "second".getBytes(StandardCharsets.US_ASCII));
      assertThat(sheaf.setAll(values)).hasSize(2).values().containsOnly(YES);
      assertThat(sheaf.sync().get(first)).asString(StandardCharsets.US_ASCII).isEqualTo("second");
      assertThat(sheaf.deleteAll(List.of(first, second)))
          .containsExactly(Map.entry(first, YES), Map.entry(second, ABSENT));
    }
  }

  @ForEachServer
  void nulls_areNamedByTheirIndex_andNothingIsSent(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> nullKey = values(1);
      nullKey.put(null, "x");
      Map<String, String> nullValue = values(1);
      nullValue.put("x", null);
      for (Function<Map<String, String>, Object> write : writes(sheaf)) {
        assertThatThrownBy(() -> write.apply(nullKey))
            .isInstanceOf(NullPointerException.class)
            .hasMessage("The key at index 1 is null");
        assertThatThrownBy(() -> write.apply(nullValue))
            .isInstanceOf(NullPointerException.class)
            .hasMessage("The value at index 1 is null");
        assertThatThrownBy(() -> write.apply(null)).isInstanceOf(NullPointerException.class);
      }
      for (Function<Collection<String>, Object> ask : asks(sheaf)) {
        assertThatThrownBy(() -> ask.apply(Arrays.asList("a", null)))
            .isInstanceOf(NullPointerException.class)
            .hasMessage("The key at index 1 is null");
        assertThatThrownBy(() -> ask.apply(null)).isInstanceOf(NullPointerException.class);
      }
      assertThat(server.commandCalls()).doesNotContainKeys("set", "unlink", "exists", "touch");
    }
  }

  private static List<Function<Map<String, String>, Object>> writes(Sheaf<String, String> sheaf) {
    return List.of(
        sheaf::setAll,
        values -> sheaf.setAll(values, Duration.ofMinutes(1)),
        sheaf::setAllAsync,
        values -> sheaf.setAllAsync(values, Duration.ofMinutes(1)));
  }

  private static List<Function<Collection<String>, Object>> asks(Sheaf<String, String> sheaf) {
    return List.of(
        sheaf::deleteAll,
        sheaf::existsAll,
        sheaf::touchAll,
        sheaf::deleteAllAsync,
        sheaf::existsAllAsync,
        sheaf::touchAllAsync);
  }

  @ForEachServer
  void nothing_sendsNothing(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      assertThat(sheaf.setAll(Map.of())).isEmpty();
      assertThat(sheaf.setAll(Map.of(), Duration.ofSeconds(1))).isEmpty();
      assertThat(sheaf.deleteAll(List.of())).isEmpty();
      assertThat(sheaf.existsAll(List.of())).isEmpty();
      assertThat(sheaf.touchAll(List.of())).isEmpty();
      assertThat(sheaf.setAllAsync(Map.of()).get(1, TimeUnit.SECONDS)).isEmpty();
      assertThat(sheaf.deleteAllAsync(List.of()).get(1, TimeUnit.SECONDS)).isEmpty();
      assertThat(server.commandCalls()).doesNotContainKeys("set", "unlink", "exists", "touch");
    }
  }

  @ForEachServer
  void async_answersTheSame_andKeepsTheOrderOfItsCaller(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> values = values(300);
      RedisFuture<String> before = sheaf.async().get("key1");
      var written = sheaf.setAllAsync(values);
      RedisFuture<String> after = sheaf.async().get("key1");
      var exist = sheaf.existsAllAsync(List.of("key299", "none"));
      var touched = sheaf.touchAllAsync(List.of("key299", "none"));
      var deleted = sheaf.deleteAllAsync(List.of("key299", "none"));
      RedisFuture<String> gone = sheaf.async().get("key299");
      var expiring = sheaf.setAllAsync(Map.of("key0", "again"), Duration.ofMinutes(1));

      assertThat(before.get(60, TimeUnit.SECONDS)).isNull();
      assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo("value1");
      assertThat(written.get(60, TimeUnit.SECONDS)).hasSize(300).values().containsOnly(YES);
      for (var answer : List.of(exist, touched, deleted)) {
        assertThat(answer.get(60, TimeUnit.SECONDS))
            .containsExactly(Map.entry("key299", YES), Map.entry("none", ABSENT));
      }
      assertThat(gone.get(60, TimeUnit.SECONDS)).isNull();
      assertThat(expiring.get(60, TimeUnit.SECONDS)).containsExactly(Map.entry("key0", YES));
      assertThat(sheaf.sync().pttl("key0")).isBetween(1L, 60_000L);
    }
  }

  @ForEachServer
  void tooManyKeysWithoutBlocking_namesTheLimitAndTheOtherForm(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> values = values(SheafBuilder.KEYS_PER_SLICE + 1);
      assertTooMany(() -> sheaf.setAllAsync(values), "setAll");
      assertTooMany(() -> sheaf.setAllAsync(values, Duration.ofMinutes(1)), "setAll");
      assertTooMany(() -> sheaf.deleteAllAsync(values.keySet()), "deleteAll");
      assertTooMany(() -> sheaf.existsAllAsync(values.keySet()), "existsAll");
      assertTooMany(() -> sheaf.touchAllAsync(values.keySet()), "touchAll");
    }
  }

  private static void assertTooMany(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String blockingForm) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8192")
        .hasMessageContaining("8193")
        .hasMessageContaining("use " + blockingForm + ",");
  }

  @ForEachServer
  void closedClient_failsEveryKey(ServerUnderTest server) {
    Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
    sheaf.close();
    List<Map<String, Result<Boolean>>> all =
        List.of(
            sheaf.setAll(values(2)),
            sheaf.deleteAll(List.of("a", "b")),
            sheaf.existsAll(List.of("a", "b")),
            sheaf.touchAll(List.of("a", "b")));
    for (Map<String, Result<Boolean>> results : all) {
      assertThat(results.values())
          .hasSize(2)
          .allSatisfy(result -> assertThatThrownBy(result::orNull).hasMessageContaining("closed"));
    }
  }

  /** The promise is one write to each node; a batch that the client counts is a write. */
  @ForEachServer
  void everyNodeIsWrittenToOnce(ServerUnderTest server) {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).meterRegistry(registry).connect()) {
      Map<String, String> values = values(400);
      int nodes = server.primaries().size();
      List<Runnable> calls =
          List.of(
              () -> sheaf.setAll(values),
              () -> sheaf.existsAll(values.keySet()),
              () -> sheaf.touchAll(values.keySet()),
              () -> sheaf.deleteAll(values.keySet()));
      for (Runnable call : calls) {
        long before = registry.get("sheaf.batch.commands").summary().count();
        call.run();
        assertThat(registry.get("sheaf.batch.commands").summary().count() - before)
            .isEqualTo(nodes);
      }
    }
  }

  @ForEachServer
  void valueThatCannotBeEncoded_failsItsKeyAlone(ServerUnderTest server) {
    StringCodec failing =
        new StringCodec() {
          @Override
          public ByteBuffer encodeValue(String value) {
            refuse(value);
            return super.encodeValue(value);
          }

          @Override
          public void encodeValue(String value, ByteBuf target) {
            refuse(value);
            super.encodeValue(value, target);
          }

          private static void refuse(String value) {
            if (value.equals("value7")) {
              throw new IllegalStateException("no sevens");
            }
          }
        };
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).codec(failing).connect()) {
      Map<String, Result<Boolean>> results = sheaf.setAll(values(20));
      assertThatThrownBy(() -> results.get("key7").orNull())
          .isInstanceOf(SheafException.class)
          .hasMessageContaining("SET")
          .hasMessageContaining("no sevens");
      results.forEach(
          (key, result) -> assertThat(result.isFailure()).isEqualTo(key.equals("key7")));
      assertThat(sheaf.sync().get("key19")).isEqualTo("value19");
    }
  }

  @ForEachServer
  void valuesBeyondTheLimitOfTheQueue_waitForRoomAndStayWithinIt(ServerUnderTest server)
      throws Exception {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    int limit = 300_000;
    int valueBytes = 20_000;
    BatchingOptions small =
        BatchingOptions.builder().maxQueuedCommands(40).maxQueuedBytes(limit).build();
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).batching(small).meterRegistry(registry).connect()) {
      Map<String, String> values = new HashMap<>();
      for (int i = 0; i < 400; i++) {
        values.put("key" + i, Integer.toString(i).repeat(valueBytes).substring(0, valueBytes));
      }
      AtomicBoolean over = new AtomicBoolean();
      AtomicLong most = new AtomicLong();
      Thread watch =
          new Thread(
              () -> {
                while (!over.get()) {
                  long bytes = (long) registry.get("sheaf.queue.size").gauge().value();
                  most.accumulateAndGet(bytes, Math::max);
                  Thread.onSpinWait();
                }
              });
      watch.start();
      try {
        assertThat(sheaf.setAll(values).values()).hasSize(400).containsOnly(YES);
      } finally {
        over.set(true);
        watch.join();
      }
      assertAll(sheaf, values);
      // A part is sent when it reaches the limit, so it may be over it by less than a command. The
      // next part is counted for moments, whenever it looks for room.
      long nodes = server.primaries().size();
      assertThat(most.get()).isLessThan(nodes * 2 * (limit + valueBytes + 100L));
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void fullQueue_refusesWithoutBlocking_andNamesTheLimit(ServerUnderTest server) throws Exception {
    BatchingOptions small =
        BatchingOptions.builder().maxQueuedCommands(40).maxQueuedBytes(50_000).build();
    try (Sheaf<String, String> sheaf = Sheaf.builder(server.uri()).batching(small).connect()) {
      sheaf.standalone().setAutoFlushCommands(false);
      RedisFuture<String> first = sheaf.async().set("a", "1");
      var refused = sheaf.setAllAsync(values(40));
      assertThat(refused.get(60, TimeUnit.SECONDS).values())
          .hasSize(40)
          .allSatisfy(
              result ->
                  assertThatThrownBy(result::orNull)
                      .isInstanceOf(QueueFullException.class)
                      .hasMessageContaining("maxQueuedCommands=40"));
      sheaf.standalone().setAutoFlushCommands(true);
      sheaf.standalone().flushCommands();
      assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("OK");
      assertThat(sheaf.setAllAsync(values(40)).get(60, TimeUnit.SECONDS).values())
          .containsOnly(YES);
    }
  }

  @ForEachServer
  void aLoopThatReadAhead_seesWhatWasWritten(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      Map<String, String> before = values(20);
      sheaf.setAll(before);
      Map<String, String> after = new LinkedHashMap<>();
      before.keySet().forEach(key -> after.put(key, "after"));
      List<String> seen = new ArrayList<>();
      for (String key : sheaf.loop(before.keySet())) {
        seen.add(sheaf.sync().get(key));
        if (seen.size() == 1) {
          sheaf.setAll(after);
        } else if (seen.size() == 10) {
          sheaf.deleteAll(before.keySet());
        }
      }
      assertThat(seen.get(0)).isEqualTo("value0");
      assertThat(seen.subList(1, 10)).containsOnly("after");
      assertThat(seen.subList(10, 20)).containsOnlyNulls();
    }
  }

  /** A thread that is sending a batch must not wait for what it holds back: that would time out. */
  @ForEachServer
  void insideABatchThatIsBeingSent_nothingIsHeldBack(ServerUnderTest server) {
    Duration timeout = Duration.ofSeconds(30);
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).commandTimeout(timeout).connect()) {
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> first = batch.add(redis -> redis.set("key1", "early"));
        Deferred<String> second =
            batch.add(
                redis -> {
                  assertThat(sheaf.setAll(values(10)).values()).containsOnly(YES);
                  return redis.get("key1");
                });
        assertThat(first.get()).isEqualTo("OK");
        assertThat(second.get()).isEqualTo("value1");
      }
    }
  }
}
