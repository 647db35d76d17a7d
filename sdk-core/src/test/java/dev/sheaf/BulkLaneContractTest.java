// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.ForEachServer;
import dev.sheaf.testkit.ServerUnderTest;
import dev.sheaf.testkit.Topology;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lane for large values is another way to the same data. */
@Timeout(180)
class BulkLaneContractTest {

  @ForEachServer
  void allInterfaces_seeTheSameData_whateverTheWay(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      String large = "x".repeat(1 << 20);
      assertThat(sheaf.bulk().sync().set("large", large)).isEqualTo("OK");
      assertThat(sheaf.sync().get("large")).isEqualTo(large);
      sheaf.sync().set("large", "changed");
      assertThat(sheaf.bulk().sync().get("large")).isEqualTo("changed");
      assertThat(sheaf.bulk().async().get("large").get(60, TimeUnit.SECONDS)).isEqualTo("changed");
      assertThat(sheaf.bulk().reactive().get("large").toFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo("changed");
      assertThat(sheaf.bulk()).isSameAs(sheaf.bulk());
    }
  }

  @ForEachServer(on = Topology.STANDALONE)
  void smallReads_passALargeReplyThatIsNotRead(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      sheaf.sync().set("small", "s");
      // It blocks its connection as a reply does that takes long to arrive.
      var waiting = sheaf.bulk().async().blpop(20, "list");
      assertThat(sheaf.async().get("small").get(60, TimeUnit.SECONDS)).isEqualTo("s");
      assertThat(waiting.isDone()).isFalse();
      sheaf.sync().lpush("list", "element");
      assertThat(waiting.get(60, TimeUnit.SECONDS).getValue()).isEqualTo("element");
    }
  }

  @ForEachServer
  void writesOfTheLane_areSeenByLoopsThatHaveReadAhead(ServerUnderTest server) {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<String> keys = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        keys.add("key" + i);
        sheaf.sync().set("key" + i, "before");
      }
      List<String> seen = new ArrayList<>();
      for (String key : sheaf.loop(keys)) {
        if (key.equals("key5")) {
          sheaf.bulk().sync().set(key, "after");
        }
        seen.add(sheaf.sync().get(key));
      }
      assertThat(seen.get(5)).isEqualTo("after");
      assertThat(seen.get(6)).isEqualTo("before");
    }
  }

  @ForEachServer
  void commandsOfOneThread_keepTheirOrderOnTheLane(ServerUnderTest server) throws Exception {
    try (Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      List<RedisFuture<String>> reads = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        sheaf.bulk().async().set("key", "value" + i);
        reads.add(sheaf.bulk().async().get("key"));
      }
      for (int i = 0; i < 200; i++) {
        assertThat(reads.get(i).get(60, TimeUnit.SECONDS)).isEqualTo("value" + i);
      }
    }
  }

  @Test
  void lane_isOpenedOnce_byWhoeverAsksFirst_andClosedWithTheClient() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> observer = Sheaf.connect(server.uri())) {
      Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
      long before = connections(observer);
      ExecutorService threads = Executors.newFixedThreadPool(8);
      List<Future<BulkLane<String, String>>> lanes = new ArrayList<>();
      Callable<BulkLane<String, String>> ask = sheaf::bulk;
      for (int i = 0; i < 8; i++) {
        lanes.add(threads.submit(ask));
      }
      BulkLane<String, String> lane = sheaf.bulk();
      for (Future<BulkLane<String, String>> other : lanes) {
        assertThat(other.get(60, TimeUnit.SECONDS)).isSameAs(lane);
      }
      threads.shutdown();
      assertThat(connections(observer)).isEqualTo(before + 1);
      sheaf.close();
      assertThatThrownBy(() -> lane.sync().ping()).isNotNull();
      Await.until(
          "both connections to be closed",
          Duration.ofSeconds(10),
          () -> connections(observer) == before - 1);
    }
  }

  @Test
  void laneThatCannotBeOpened_saysWhy_andIsTriedAgain() {
    try (EmbeddedServer server = EmbeddedServer.start();
        Sheaf<String, String> sheaf = Sheaf.connect(server.uri())) {
      server.faults().errorOn("hello", "NOPERM not today");
      assertThatThrownBy(sheaf::bulk)
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("not today");
      server.faults().clear();
      assertThat(sheaf.bulk().sync().ping()).isEqualTo("PONG");
    }
    try (EmbeddedServer server = EmbeddedServer.start()) {
      Sheaf<String, String> sheaf = Sheaf.connect(server.uri());
      sheaf.close();
      assertThatThrownBy(sheaf::bulk)
          .isInstanceOf(SheafException.class)
          .hasMessageContaining("closed");
    }
  }

  private static long connections(Sheaf<String, String> observer) {
    return observer.sync().clientList().lines().count();
  }
}
