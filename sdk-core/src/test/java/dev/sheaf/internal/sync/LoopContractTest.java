// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.BatchingOptions;
import dev.sheaf.Inside;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.internal.command.WriteClock;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A loop that reads ahead sees what the plain loop sees, in fewer round trips. */
class LoopContractTest {

  @ForEachServer
  void hundredKeys_areReadInFewCommands(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 100);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      List<String> values = new ArrayList<>();
      for (String key : sheaf.loop(keys)) {
        values.add(sheaf.sync().get(key));
      }
      assertThat(values).isEqualTo(valuesOf(keys));
      // Windows of 16, 64 and the last 20.
      assertThat(reads(server)).isEqualTo(3);
    }
  }

  @ForEachServer
  void itemsWithKeys_areReadInFewCommands(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 1_000);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      List<Integer> ids = IntStream.range(0, 1_000).boxed().toList();
      for (int id : sheaf.loop(ids, i -> keys.get(i))) {
        assertThat(sheaf.sync().get(keys.get(id))).isEqualTo("value" + id);
      }
      // 16, 64, 256, 256, 256 and 152 keys, with 100 in an MGET.
      assertThat(reads(server)).isEqualTo(1 + 1 + 3 + 3 + 3 + 2);
    }
  }

  @ForEachServer
  void laterLoops_readAPageAtOnce(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 100);
      read(sheaf, keys, keys.size());
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      read(sheaf, keys, keys.size());
      assertThat(reads(server)).isEqualTo(1);
    }
  }

  @ForEachServer
  void loopsThatAreLeftEarly_beginSmallAgain(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .batching(BatchingOptions.builder().fusion(false).build())
            .connect()) {
      List<String> keys = fill(sheaf, 1_000);
      read(sheaf, keys, keys.size());
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      read(sheaf, keys, 1);
      assertThat(server.commandCalls()).containsEntry("get", 256L);
      read(sheaf, keys, 1);
      assertThat(server.commandCalls()).containsEntry("get", 256L + 16);
    }
  }

  private static void read(Sheaf<String, String> sheaf, List<String> keys, int most) {
    int read = 0;
    for (String key : sheaf.loop(keys)) {
      if (read++ == most) {
        break;
      }
      assertThat(sheaf.sync().get(key)).isEqualTo("value" + keys.indexOf(key));
    }
  }

  @ForEachServer
  void bodyThatReadsNothing_causesNoReads(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      int items = 0;
      for (String key : sheaf.loop(fill(sheaf, 50))) {
        assertThat(sheaf.sync().strlen(key)).isPositive();
        items++;
      }
      assertThat(items).isEqualTo(50);
      assertThat(reads(server)).isZero();
    }
  }

  @ForEachServer
  void breakAfterTheFirst_readsOneSmallWindow(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 1_000);
      try (Sheaf<String, String> unfused =
          Sheaf.builder(server.uri())
              .batching(BatchingOptions.builder().fusion(false).build())
              .connect()) {
        for (String key : unfused.loop(keys)) {
          assertThat(unfused.sync().get(key)).isEqualTo("value0");
          break;
        }
      }
      assertThat(server.commandCalls()).containsEntry("get", 16L);
    }
  }

  @ForEachServer
  void valuesThatAreHardlyUsed_keepTheWindowSmall(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri())
            .batching(BatchingOptions.builder().fusion(false).build())
            .connect()) {
      List<String> keys = fill(sheaf, 320);
      int i = 0;
      for (String key : sheaf.loop(keys)) {
        if (i++ % 16 == 0) {
          sheaf.sync().get(key);
        }
      }
      assertThat(server.commandCalls()).containsEntry("get", 320L);
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void largeValues_makeSmallWindows(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      String large = "x".repeat(256 << 10);
      List<String> keys = IntStream.range(0, 56).mapToObj(i -> "large" + i).toList();
      keys.forEach(key -> sheaf.sync().set(key, large));
      for (String key : sheaf.loop(keys)) {
        assertThat(sheaf.sync().get(key)).hasSize(large.length());
      }
      // 16 keys of unknown size, and then four of a quarter of a MiB each time.
      assertThat(server.commandCalls()).containsEntry("mget", 11L);
    }
  }

  @ForEachServer
  void absentKeysAndErrors_appearAtTheGetOfTheirKey(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("a", "1");
      sheaf.sync().lpush("list", "x");
      List<Object> seen = new ArrayList<>();
      for (String key : sheaf.loop(Arrays.asList("a", "none", "list", null, "a", ""))) {
        try {
          seen.add(sheaf.sync().get(key));
        } catch (RuntimeException e) {
          seen.add(e.getMessage().split(" ")[0]);
        }
      }
      assertThat(seen).containsExactly("1", null, "WRONGTYPE", "Key", "1", null);
    }
  }

  @ForEachServer
  void everyWrite_isSeenByTheGetAfterIt(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      String key = "{t}target";
      Map<String, Consumer<String>> writes = new HashMap<>();
      writes.put("set", k -> sheaf.sync().set(k, "new"));
      writes.put("async", k -> sheaf.async().set(k, "new").toCompletableFuture().join());
      writes.put("reactive", k -> sheaf.reactive().set(k, "new").block());
      writes.put(
          "other thread", k -> CompletableFuture.runAsync(() -> sheaf.sync().set(k, "new")).join());
      writes.put("append", k -> sheaf.sync().append(k, "new"));
      writes.put("del", k -> sheaf.sync().del(k));
      writes.put("del of two", k -> sheaf.sync().del("{t}x", k));
      writes.put("getdel", k -> sheaf.sync().getdel(k));
      writes.put("mset", k -> sheaf.sync().mset(Map.of("{t}x", "y", k, "new")));
      writes.put("rename", k -> sheaf.sync().rename(k, "{t}renamed"));
      writes.put(
          "copy",
          k -> sheaf.sync().copy("{t}source", k, io.lettuce.core.CopyArgs.Builder.replace(true)));
      writes.put("setrange", k -> sheaf.sync().setrange(k, 1, "new"));
      writes.put(
          "script",
          k ->
              sheaf
                  .sync()
                  .eval("return redis.call('set', KEYS[1], 'new')", ScriptOutputType.STATUS, k));
      writes.put("flushall", k -> sheaf.sync().flushall());
      writes.put(
          "batch",
          k -> {
            try (Batch<String, String> batch = sheaf.batch()) {
              batch.get("{t}x");
              batch.add(redis -> redis.set(k, "new"));
            }
          });
      for (Map.Entry<String, Consumer<String>> write : writes.entrySet()) {
        sheaf.sync().set("{t}first", "1");
        sheaf.sync().set("{t}source", "copied");
        sheaf.sync().set(key, "old");
        for (String k : sheaf.loop(List.of("{t}first", key))) {
          if (k.equals(key)) {
            write.getValue().accept(key);
            String expected = (String) server.command(nodeOf(sheaf, server, key), "GET", key);
            assertThat(expected).as(write.getKey()).isNotEqualTo("old");
            assertThat(sheaf.sync().get(k)).as(write.getKey()).isEqualTo(expected);
          } else {
            sheaf.sync().get(k);
          }
        }
      }
    }
  }

  @ForEachServer
  void valuesAreThoseOfTheWindow_andASecondGetAsksTheServer(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Sheaf<String, String> other = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 4);
      List<String> seen = new ArrayList<>();
      for (String key : sheaf.loop(List.of(keys.get(0), keys.get(1), keys.get(2), keys.get(2)))) {
        seen.add(sheaf.sync().get(key));
        keys.forEach(k -> other.sync().set(k, "other"));
        if (key.equals(keys.get(1))) {
          seen.add(sheaf.sync().get(key));
          // The value read ahead for the next iteration is older than this one.
          seen.add(sheaf.sync().get(keys.get(2)));
        }
      }
      assertThat(seen).containsExactly("value0", "value1", "other", "other", "other", "other");
    }
  }

  @ForEachServer
  void readsOfOtherCommands_leaveTheWindowAsItIs(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 64);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      for (String key : sheaf.loop(keys)) {
        assertThat(sheaf.sync().get(key)).isNotNull();
        sheaf.sync().hgetall("{t}hash");
        sheaf.sync().exists(key);
        sheaf.sync().ping();
        sheaf.sync().sadd("{t}set", key);
      }
      // 16 and 48; the set may share a cell of the clock with one of the keys.
      assertThat(reads(server)).isLessThan(6);
    }
  }

  @ForEachServer
  void bodyThatWritesUnknownCommands_readsTheRestOfItsWindowOneByOne(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 64);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      for (String key : sheaf.loop(keys)) {
        sheaf.sync().get(key);
        sheaf.sync().eval("return 1", ScriptOutputType.INTEGER, key);
      }
      Map<String, Long> calls = server.commandCalls();
      assertThat(calls).containsEntry("mget", 4L).containsEntry("get", 60L);
    }
  }

  @ForEachServer
  void nestedLoops_areBothReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 40);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      List<String> seen = new ArrayList<>();
      List<String> expected = new ArrayList<>();
      for (String outer : sheaf.loop(keys.subList(0, 10))) {
        for (String inner : sheaf.loop(keys.subList(10, 20))) {
          if (inner.endsWith("15")) {
            break;
          }
          seen.add(sheaf.sync().get(inner));
          expected.add(valueOf(inner));
        }
        seen.add(sheaf.sync().get(outer));
        expected.add(valueOf(outer));
      }
      assertThat(seen).isEqualTo(expected);
      assertThat(reads(server)).isEqualTo(11);
    }
  }

  @ForEachServer
  void keyOfBothLoops_isNeverSeenOlderThanBefore(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Sheaf<String, String> other = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 2);
      for (String outer : sheaf.loop(keys)) {
        if (outer.equals(keys.get(0))) {
          sheaf.sync().get(outer);
          other.sync().set(keys.get(1), "new");
        } else {
          for (String inner : sheaf.loop(List.of(outer))) {
            assertThat(sheaf.sync().get(inner)).isEqualTo("new");
          }
          assertThat(sheaf.sync().get(outer)).isEqualTo("new");
        }
      }
    }
  }

  @ForEachServer
  void deeperNestingThanTheLimit_readsAsEver(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 3);
      assertThat(nest(sheaf, keys, CallerThread.MAX_NESTING + 3))
          .isEqualTo(CallerThread.MAX_NESTING + 3);
      server.nodes().forEach(node -> server.command(node, "CONFIG", "RESETSTAT"));
      for (String key : sheaf.loop(keys)) {
        sheaf.sync().get(key);
      }
      assertThat(reads(server)).isEqualTo(1);
    }
  }

  private static int nest(Sheaf<String, String> sheaf, List<String> keys, int depth) {
    int deepest = 0;
    for (String key : sheaf.loop(keys)) {
      if (depth > 1 && key.equals(keys.get(0))) {
        deepest = nest(sheaf, keys, depth - 1);
      }
      assertThat(sheaf.sync().get(key)).isEqualTo(valueOf(key));
    }
    return deepest + 1;
  }

  @ForEachServer
  void iteratorOfAnotherThread_isAPlainIterator(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 10);
      Iterator<String> iterator = sheaf.loop(keys).iterator();
      String first = iterator.next();
      assertThat(sheaf.sync().get(first)).isEqualTo("value0");
      List<String> rest = new ArrayList<>();
      CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < 5; i++) {
                  rest.add(sheaf.sync().get(iterator.next()));
                }
              })
          .join();
      while (iterator.hasNext()) {
        rest.add(sheaf.sync().get(iterator.next()));
      }
      assertThat(rest).isEqualTo(valuesOf(keys.subList(1, 10)));
      // The first was read ahead, no other was.
      assertThat(server.commandCalls()).containsEntry("mget", 1L).containsEntry("get", 9L);
      assertThatThrownBy(iterator::next).isInstanceOf(NoSuchElementException.class);
    }
  }

  @ForEachServer
  void keyFunctionThatThrows_throwsAtItsOwnItem(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 6);
      List<String> seen = new ArrayList<>();
      Iterable<Integer> loop =
          sheaf.loop(
              List.of(0, 1, 2, 3),
              i -> {
                if (i == 2) {
                  throw new IllegalStateException("no key for 2");
                }
                return keys.get(i);
              });
      assertThatThrownBy(
              () -> {
                for (int i : loop) {
                  seen.add(sheaf.sync().get(keys.get(i)));
                }
              })
          .hasMessage("no key for 2");
      assertThat(seen).containsExactly("value0", "value1");
    }
  }

  @ForEachServer
  void valueThatHasWaitedTooLong_isReadAgain(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Sheaf<String, String> other = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 3);
      List<String> seen = new ArrayList<>();
      for (String key : sheaf.loop(keys)) {
        seen.add(sheaf.sync().get(key));
        if (seen.size() == 1) {
          keys.forEach(k -> other.sync().set(k, "other"));
          long tooOld = System.nanoTime() + Loops.MAX_VALUE_AGE.toNanos();
          Await.until("values to be old", Duration.ofSeconds(60), () -> System.nanoTime() > tooOld);
        }
      }
      assertThat(seen).containsExactly("value0", "other", "other");
    }
  }

  @ForEachServer
  void repeatedKeys_giveEachIterationAnObjectOfItsOwn(ServerUnderTest server) {
    RedisCodec<String, byte[]> codec = RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE);
    try (Sheaf<String, byte[]> sheaf = Sheaf.builder(server.uri()).codec(codec).connect()) {
      sheaf.sync().set("k", new byte[] {1});
      for (String key : sheaf.loop(Collections.nCopies(10, "k"))) {
        byte[] value = sheaf.sync().get(key);
        assertThat(value).containsExactly(1);
        value[0] = 2;
      }
    }
  }

  @ForEachServer
  void byteArrayKeys_areDroppedByAWriteToAnEqualArray(ServerUnderTest server) {
    try (Sheaf<byte[], byte[]> sheaf =
        Sheaf.builder(server.uri()).codec(ByteArrayCodec.INSTANCE).connect()) {
      List<byte[]> keys = List.of(bytes("{t}1"), bytes("{t}2"), bytes("{t}3"));
      keys.forEach(key -> sheaf.sync().set(key, key));
      List<String> seen = new ArrayList<>();
      for (byte[] key : sheaf.loop(keys)) {
        seen.add(new String(sheaf.sync().get(key), StandardCharsets.UTF_8));
        sheaf.sync().set(bytes("{t}3"), bytes("new"));
      }
      assertThat(seen).containsExactly("{t}1", "{t}2", "new");
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void insideATransaction_getsAreQueued(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 20);
      RedisCommands<String, String> redis = (RedisCommands<String, String>) sheaf.sync();
      redis.multi();
      for (String key : sheaf.loop(keys)) {
        assertThat(sheaf.sync().get(key)).isNull();
      }
      List<Object> results = new ArrayList<>();
      redis.exec().forEach(results::add);
      assertThat(results).isEqualTo(valuesOf(keys));

      for (String key : sheaf.loop(keys.subList(0, 2))) {
        if (key.equals(keys.get(1))) {
          server.command("SET", key, "other");
          redis.watch(key);
          assertThat(sheaf.sync().get(key)).isEqualTo("other");
          redis.unwatch();
        } else {
          sheaf.sync().get(key);
        }
      }
    }
  }

  @ForEachServer
  void exceptionInTheBody_leavesNothingBehind(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Sheaf<String, String> other = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 20);
      assertThatThrownBy(
              () -> {
                for (String key : sheaf.loop(keys)) {
                  sheaf.sync().get(key);
                  throw new IllegalStateException("body");
                }
              })
          .hasMessage("body");
      keys.forEach(k -> other.sync().set(k, "other"));
      for (String key : keys) {
        assertThat(sheaf.sync().get(key)).isEqualTo("other");
      }
    }
  }

  @ForEachServer
  void abandonedLoops_areForgottenWithTheNextOne(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 20);
      WriteClock writes = Inside.writesOf(sheaf);
      abandonManyLoops(sheaf, keys);
      assertThat(writes.readers()).isPositive();
      Await.until(
          "abandoned loops to be forgotten",
          Duration.ofSeconds(30),
          () -> {
            System.gc();
            for (String key : sheaf.loop(keys)) {
              sheaf.sync().get(key);
            }
            return writes.readers() == 0;
          });
    }
  }

  private static void abandonManyLoops(Sheaf<String, String> sheaf, List<String> keys) {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 20; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 20; i++) {
                  for (String key : sheaf.loop(keys)) {
                    sheaf.sync().get(key);
                    break;
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    threads.forEach(LoopContractTest::join);
  }

  @ForEachServer
  void endedLoops_costWritersNothing(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      WriteClock writes = Inside.writesOf(sheaf);
      for (String key : sheaf.loop(fill(sheaf, 20))) {
        sheaf.sync().get(key);
        assertThat(writes.readers()).isLessThanOrEqualTo(1);
      }
      assertThat(writes.readers()).isZero();
    }
  }

  @ForEachServer
  void thousandThreads_eachSeesItsOwnValues(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = fill(sheaf, 30);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      AtomicInteger read = new AtomicInteger();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 1_000; t++) {
        Thread thread =
            new Thread(
                () -> {
                  try {
                    for (String key : sheaf.loop(keys)) {
                      assertThat(sheaf.sync().get(key)).isEqualTo(valueOf(key));
                      read.incrementAndGet();
                    }
                  } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                  }
                });
        threads.add(thread);
        thread.start();
      }
      threads.forEach(LoopContractTest::join);
      assertThat(failure.get()).isNull();
      assertThat(read).hasValue(30_000);
    }
  }

  @ForEachServer
  void closedClient_failsTheGet(ServerUnderTest server) {
    Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
    List<String> keys = fill(sheaf, 3);
    Iterator<String> loop = sheaf.loop(keys).iterator();
    loop.next();
    sheaf.close();
    assertThatThrownBy(() -> sheaf.sync().get(keys.get(0))).hasMessageContaining("closed");
  }

  @ForEachServer(on = Topology.STANDALONE)
  void timeOut_isThrownOnce_notWaitedForTwice(ServerUnderTest server) {
    ServerUnderTest.Node node = server.nodes().get(0);
    try (LatencyProxy proxy = LatencyProxy.builder().target(node.host(), node.port()).start();
        Sheaf<String, String> sheaf =
            Sheaf.builder("redis://127.0.0.1:" + proxy.port())
                .commandTimeout(Duration.ofSeconds(3))
                .connect()) {
      List<String> keys = fill(sheaf, 3);
      proxy.pauseToClient(true);
      for (String key : sheaf.loop(keys)) {
        assertThatThrownBy(() -> sheaf.sync().get(key))
            .isInstanceOf(io.lettuce.core.RedisCommandTimeoutException.class);
        break;
      }
      // The window alone was asked for: a second question would have been waited for, too.
      assertThat(server.commandCalls()).containsEntry("mget", 1L).doesNotContainKey("get");
      proxy.pauseToClient(false);
      Await.until(
          "the server to go on", Duration.ofSeconds(10), () -> "PONG".equals(sheaf.sync().ping()));
    }
  }

  static List<String> fill(Sheaf<String, String> sheaf, int count) {
    List<String> keys = new ArrayList<>();
    try (Batch<String, String> batch = sheaf.batch()) {
      for (int i = 0; i < count; i++) {
        String key = "{t}key" + i;
        String value = "value" + i;
        keys.add(key);
        batch.add(redis -> redis.set(key, value));
      }
    }
    return keys;
  }

  static List<String> valuesOf(List<String> keys) {
    return keys.stream().map(LoopContractTest::valueOf).toList();
  }

  static String valueOf(String key) {
    return key.replace("{t}key", "value");
  }

  private static long reads(ServerUnderTest server) {
    Map<String, Long> calls = server.commandCalls();
    return calls.getOrDefault("get", 0L) + calls.getOrDefault("mget", 0L);
  }

  private static ServerUnderTest.Node nodeOf(
      Sheaf<String, String> sheaf, ServerUnderTest server, String key) {
    if (!server.isCluster()) {
      return server.nodes().get(0);
    }
    int slot = io.lettuce.core.cluster.SlotHash.getSlot(key);
    int port = sheaf.cluster().getPartitions().getMasterBySlot(slot).getUri().getPort();
    return server.nodes().stream().filter(node -> node.port() == port).findFirst().orElseThrow();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void join(Thread thread) {
    try {
      thread.join(60_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
