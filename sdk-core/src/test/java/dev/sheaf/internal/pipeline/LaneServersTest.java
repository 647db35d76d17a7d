// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.BatchingOptions;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.FixedName;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.resource.ClientResources;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A name that leads to another server from one moment to the next, as in a failover. */
@Timeout(180)
class LaneServersTest {

  private static final int READERS = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private EmbeddedServer first;
  private EmbeddedServer second;
  private FixedName name;
  private RespConnection atFirst;
  private RespConnection atSecond;
  private ClientResources resources;
  private Sheaf<String, String> sheaf;

  @BeforeEach
  void connect() {
    first = EmbeddedServer.start();
    second = EmbeddedServer.start();
    atFirst = RespConnection.open("127.0.0.1", first.port());
    atSecond = RespConnection.open("127.0.0.1", second.port());
    name = new FixedName(first.port());
    resources = name.resources();
    sheaf =
        Sheaf.builder(FixedName.URI)
            .clientResources(resources)
            .batching(BatchingOptions.builder().maxLanes(2).build())
            .connect();
  }

  @AfterEach
  void close() throws Exception {
    sheaf.close();
    resources.shutdown(0, 10, TimeUnit.SECONDS).sync();
    atFirst.close();
    atSecond.close();
    first.close();
    second.close();
  }

  private Lanes lanes() {
    StatefulRedisConnectionImpl<?, ?> main = (StatefulRedisConnectionImpl<?, ?>) sheaf.standalone();
    return Objects.requireNonNull(((NodeWriter) main.getChannelWriter()).pipeline().lanes());
  }

  /** How many clients a server has, without the test's own connection. */
  private static long clients(RespConnection server) {
    return server.text("CLIENT", "LIST").lines().filter(line -> line.contains("id=")).count() - 1;
  }

  private static long accepted(RespConnection server) {
    return server
        .text("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  private static void kill(RespConnection server, String id) {
    server.call("CLIENT", "KILL", "ID", id);
  }

  /** Kills all clients but the given one and the test's own connection. */
  private static void killOthers(RespConnection server, long id) {
    String own = String.valueOf(server.call("CLIENT", "ID"));
    server
        .text("CLIENT", "LIST")
        .lines()
        .filter(line -> line.contains("id="))
        .map(line -> line.replaceFirst(".*?id=(\\d+) .*", "$1"))
        .filter(each -> !each.equals(own) && !each.equals(Long.toString(id)))
        .forEach(each -> kill(server, each));
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Has several threads write and read keys of their own while a test goes on. */
  private void beside(AtomicLong rounds, Step test) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      String key = "key:" + i;
      Thread thread =
          new Thread(
              () -> {
                try {
                  for (int round = 0; !over.get(); round++) {
                    writeAndRead(key, Integer.toString(round));
                    rounds.incrementAndGet();
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    try {
      test.run();
    } finally {
      over.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(failure).hasValue(null);
  }

  private void writeAndRead(String key, String value) {
    try {
      sheaf.sync().set(key, value);
    } catch (OutcomeUnknownException connectionLost) {
      return;
    }
    for (int i = 0; i < 4; i++) {
      String read = sheaf.sync().get(key);
      // Between the write and the read, the main connection may have moved to the other server.
      if (!value.equals(read) && value.equals(sheaf.sync().get(key))) {
        throw new AssertionError("read " + read + " after " + value + " was written");
      }
    }
  }

  /** Waits for a condition, unless a thread has failed. */
  private void until(String what, Callable<Boolean> condition) {
    Await.until(what, PATIENCE, () -> failure.get() != null || condition.call());
  }

  private void more(AtomicLong rounds, int count) {
    long until = rounds.get() + count;
    until("more reads", () -> rounds.get() >= until);
  }

  @Test
  void lanesThatAreOpenedWhenTheNameHasMoved_areNotReadFrom() throws Exception {
    name.leadTo(second.port());
    AtomicLong rounds = new AtomicLong();
    beside(
        rounds,
        () -> {
          // The test's own connection is the first one.
          until("a lane", () -> accepted(atSecond) >= 2);
          more(rounds, 2_000);
        });
    assertThat(atSecond.call("DBSIZE")).isEqualTo(0L);
    assertThat(atSecond.text("INFO", "commandstats")).doesNotContain("cmdstat_get:");
    assertThat(clients(atFirst)).isEqualTo(1);
  }

  @Test
  void whenTheMainConnectionMoves_theLanesMoveToo() throws Exception {
    AtomicLong rounds = new AtomicLong();
    beside(
        rounds,
        () -> {
          long main = sheaf.standalone().sync().clientId();
          until("two lanes", () -> clients(atFirst) == 3);
          name.leadTo(second.port());
          kill(atFirst, Long.toString(main));
          until("all at the second server", () -> clients(atSecond) == 3);
          until("none at the first", () -> clients(atFirst) == 0);
          more(rounds, 500);
        });
  }

  @Test
  void lanesThatAreKilled_loseNoRead_andAreReplaced() throws Exception {
    AtomicLong rounds = new AtomicLong();
    long main = sheaf.standalone().sync().clientId();
    beside(
        rounds,
        () -> {
          for (int i = 0; i < 50; i++) {
            until("two lanes", () -> lanes().drivers() == 3);
            killOthers(atFirst, main);
          }
          until("two lanes again", () -> lanes().drivers() == 3);
        });
    assertThat(sheaf.standalone().sync().clientId()).isEqualTo(main);
  }
}
