// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.Batch;
import dev.sheaf.Deferred;
import dev.sheaf.Sheaf;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.api.sync.RedisAdvancedClusterCommands;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The blocking commands are Lettuce's, and do not wait for what their own thread holds back. */
class SyncCommandsContractTest {

  /** With which a call fails that waits for what its own thread holds back. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @ForEachServer
  void hasTheInterfacesAndTheIdentityOfAnObject(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
        Sheaf<String, String> other = Sheaf.connect(server.uri())) {
      Object sync = sheaf.sync();
      if (server.isCluster()) {
        assertThat(sync).isInstanceOf(RedisAdvancedClusterCommands.class);
      } else {
        assertThat(sync).isInstanceOf(RedisCommands.class);
      }
      assertThat(sync).isEqualTo(sheaf.sync()).hasSameHashCodeAs(sheaf.sync());
      assertThat(sync).isNotEqualTo(other.sync()).isNotEqualTo(null).isNotEqualTo("x");
      assertThat(sync.toString()).isNotEmpty();
    }
  }

  @ForEachServer
  void errorsAreLettuces(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("k", "text");
      assertThatThrownBy(() -> sheaf.sync().incr("k"))
          .isExactlyInstanceOf(RedisCommandExecutionException.class)
          .hasMessageStartingWith("ERR value is not an integer");
      assertThatThrownBy(() -> sheaf.sync().get(null)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ForEachServer(on = Topology.CLUSTER)
  void clusterOnlyCommands_work(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      var redis = (RedisAdvancedClusterCommands<String, String>) sheaf.sync();
      assertThat(redis.upstream().commands().ping().stream()).allMatch("PONG"::equals);
    }
  }

  @ForEachServer
  void blockingCallsWhileABatchIsSent_doNotWaitForIt(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).commandTimeout(TIMEOUT).connect()) {
      AtomicReference<Object> seen = new AtomicReference<>();
      try (Batch<String, String> batch = sheaf.batch()) {
        Deferred<String> set = batch.add(redis -> redis.set("k", "1"));
        batch.add(
            redis -> {
              seen.set(sheaf.sync().get("k"));
              return redis.set("k", "2");
            });
        Deferred<String> two = batch.get("k");
        batch.add(
            redis -> {
              assertThat(sheaf.getAll(List.of("k")).get("k").orNull()).isEqualTo("2");
              assertThat(two.get()).isEqualTo("2");
              assertThat(set.get()).isEqualTo("OK");
              return redis.set("k", "3");
            });
        batch.add(
            redis -> {
              try (Batch<String, String> inner = sheaf.batch()) {
                assertThat(inner.get("k").get()).isEqualTo("3");
              }
              return redis.set("k", "4");
            });
        batch.add(
            redis -> {
              // On a thread that holds nothing back, while this one waits.
              Thread self = Thread.currentThread();
              CountDownLatch read = new CountDownLatch(1);
              assertThat(
                      sheaf.mapEach(
                          List.of(1, 2),
                          i -> Thread.currentThread() == self ? await(read) : readAnd(read, sheaf)))
                  .contains("4")
                  .isSubsetOf("4", "waited");
              for (String key : sheaf.loop(List.of("k"))) {
                assertThat(sheaf.sync().get(key)).isEqualTo("4");
              }
              return redis.set("k", "5");
            });
      }
      assertThat(seen).hasValue("1");
      assertThat(sheaf.sync().get("k")).isEqualTo("5");
    }
  }

  private static String readAnd(CountDownLatch read, Sheaf<String, String> sheaf) {
    String value = sheaf.sync().get("k");
    read.countDown();
    return value;
  }

  private static String await(CountDownLatch read) {
    try {
      assertThat(read.await(60, TimeUnit.SECONDS)).isTrue();
      return "waited";
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ForEachServer
  void resultOfTheSameBatch_mayBeAskedForWhileItIsSent(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf =
        Sheaf.builder(server.uri()).commandTimeout(TIMEOUT).connect()) {
      try (Batch<String, String> batch = sheaf.batch()) {
        AtomicReference<Deferred<Long>> later = new AtomicReference<>();
        Deferred<Long> first =
            batch.add(
                redis -> {
                  assertThat(later.get().get()).isEqualTo(1);
                  assertThat(batch.add(r -> r.incr("n")).get()).isEqualTo(2);
                  return redis.incr("n");
                });
        later.set(batch.add(redis -> redis.incr("n")));
        assertThat(first.get()).isEqualTo(3);
      }
    }
  }
}
