// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Loads of one key by many threads, and what they must not wait for. */
class CacheLoadsTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(50);

  private static ByteBuffer key(String name) {
    return ByteBuffer.wrap(name.getBytes());
  }

  private static byte[] bytes(String value) {
    return value.getBytes();
  }

  private static <T> CompletableFuture<T> onAThread(Supplier<T> task) {
    return CompletableFuture.supplyAsync(task, run -> new Thread(run).start());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A load of a key that ends when the latch is opened. */
  private static CompletableFuture<byte[]> slowLoad(
      CacheLoads loads, String key, CountDownLatch finish) {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<byte[]> load =
        onAThread(
            () ->
                loads.load(
                    key(key),
                    () -> {
                      begun.countDown();
                      await(finish);
                      return bytes("slow");
                    }));
    await(begun);
    return load;
  }

  @Test
  void aLoadThatTakesTooLong_isNotWaitedFor() {
    CacheLoads loads = new CacheLoads(SHORT);
    CountDownLatch finish = new CountDownLatch(1);
    CompletableFuture<byte[]> slow = slowLoad(loads, "a", finish);
    assertThat(loads.load(key("a"), () -> bytes("own"))).isEqualTo(bytes("own"));
    finish.countDown();
    assertThat(slow.join()).isEqualTo(bytes("slow"));
    assertThat(loads.load(key("a"), () -> bytes("next"))).isEqualTo(bytes("next"));
  }

  @Test
  void loadersThatWaitForEachOther_end() {
    CacheLoads loads = new CacheLoads(SHORT);
    CountDownLatch both = new CountDownLatch(2);
    CompletableFuture<byte[]> first = onAThread(() -> crossing(loads, "a", "b", both));
    CompletableFuture<byte[]> second = onAThread(() -> crossing(loads, "b", "a", both));
    assertThat(List.of(first.join(), second.join()))
        .allSatisfy(value -> assertThat(value).isEqualTo(bytes("inner")));
  }

  private static byte[] crossing(CacheLoads loads, String own, String other, CountDownLatch both) {
    return loads.load(
        key(own),
        () -> {
          both.countDown();
          await(both);
          return loads.load(key(other), () -> bytes("inner"));
        });
  }

  @Test
  void aLoaderThatReadsItsOwnKey_loadsIt() {
    CacheLoads loads = new CacheLoads(LONG);
    assertThat(loads.load(key("a"), () -> loads.load(key("a"), () -> bytes("inner"))))
        .isEqualTo(bytes("inner"));
    Map<String, byte[]> found = new LinkedHashMap<>();
    loads.loadAll(
        Map.of(key("a"), "a"),
        outer -> {
          loads.loadAll(
              Map.of(key("a"), "a"),
              inner -> {
                inner.forEach(each -> found.put(each, bytes("inner")));
                return found;
              });
          return found;
        });
    assertThat(found).containsOnlyKeys("a");
  }

  @Test
  void ofManyKeys_thoseUnderWayAreNotLoadedAgain() {
    CacheLoads loads = new CacheLoads(LONG);
    CountDownLatch finish = new CountDownLatch(1);
    CompletableFuture<byte[]> slow = slowLoad(loads, "b", finish);
    List<Set<String>> asked = new CopyOnWriteArrayList<>();
    Map<String, byte[]> theirs =
        loads.loadAll(
            Map.of(key("a"), "a", key("b"), "b"),
            wanted -> {
              asked.add(Set.copyOf(wanted));
              finish.countDown();
              return Map.of("a", bytes("own"));
            });
    assertThat(asked).containsExactly(Set.of("a"));
    assertThat(theirs).containsOnlyKeys("b").containsEntry("b", slow.join());
  }

  @Test
  void ofManyKeys_whatAnotherThreadFailsToLoadIsLoadedHere() {
    CacheLoads loads = new CacheLoads(LONG);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    CompletableFuture<Map<String, byte[]>> failing =
        onAThread(
            () ->
                loads.loadAll(
                    Map.of(key("a"), "a"),
                    wanted -> {
                      begun.countDown();
                      await(finish);
                      throw new IllegalStateException("broken");
                    }));
    await(begun);
    List<Set<String>> asked = new CopyOnWriteArrayList<>();
    Map<String, byte[]> theirs =
        loads.loadAll(
            Map.of(key("a"), "a", key("b"), "b"),
            wanted -> {
              asked.add(Set.copyOf(wanted));
              finish.countDown();
              return Map.of();
            });
    assertThat(asked).containsExactly(Set.of("b"), Set.of("a"));
    assertThat(theirs).isEmpty();
    assertThatThrownBy(failing::join).hasRootCauseMessage("broken");
  }

  @Test
  void manyThreadsWithTheSameKeys_loadEachOnce() {
    CacheLoads loads = new CacheLoads(LONG);
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger loaded = new AtomicInteger();
    Map<ByteBuffer, String> keys = Map.of(key("a"), "a", key("b"), "b");
    CompletableFuture<Map<String, byte[]>> first =
        onAThread(
            () ->
                loads.loadAll(
                    keys,
                    wanted -> {
                      begun.countDown();
                      await(finish);
                      loaded.addAndGet(wanted.size());
                      return Map.of("a", bytes("value"));
                    }));
    await(begun);
    List<Thread> threads = new CopyOnWriteArrayList<>();
    List<CompletableFuture<Map<String, byte[]>>> others =
        List.of(follower(loads, keys, threads, loaded), follower(loads, keys, threads, loaded));
    Awaitility.await()
        .until(
            () ->
                threads.size() == 2
                    && threads.stream()
                        .allMatch(thread -> thread.getState() == Thread.State.TIMED_WAITING));
    finish.countDown();
    assertThat(first.join()).isEmpty();
    assertThat(others)
        .allSatisfy(
            other ->
                assertThat(other.join())
                    .containsOnlyKeys("a", "b")
                    .containsEntry("a", bytes("value"))
                    .containsEntry("b", null));
    assertThat(loaded).hasValue(2);
  }

  private static CompletableFuture<Map<String, byte[]>> follower(
      CacheLoads loads, Map<ByteBuffer, String> keys, List<Thread> threads, AtomicInteger loaded) {
    return onAThread(
        () -> {
          threads.add(Thread.currentThread());
          return loads.loadAll(
              keys,
              wanted -> {
                loaded.addAndGet(100);
                return Map.of();
              });
        });
  }
}
