// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.embedded.EmbeddedServer;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Commands for which Lettuce sends one to each slot or node: their replies and their time-outs. */
class ClusterTimeoutsTest {

  /** Of three slots, and of all three nodes. */
  private static final Map<String, String> VALUES = Map.of("a", "1", "b", "2", "c", "3");

  private static final String[] KEYS = {"a", "b", "c"};

  private final EmbeddedServer server = EmbeddedServer.builder().cluster(3, 0).start();
  private final MeterRegistry meters = new SimpleMeterRegistry();
  private Sheaf<String, String> sheaf;
  private RedisClusterCommands<String, String> commands;

  @BeforeEach
  void connect() {
    sheaf =
        Sheaf.builder(server.uri())
            .commandTimeout(Duration.ofMillis(300))
            .meterRegistry(meters)
            .connect();
    commands = sheaf.sync();
  }

  @AfterEach
  void close() {
    server.faults().clear();
    sheaf.close();
    server.close();
  }

  @Test
  void commandsOfSeveralSlots_giveTheRepliesOfAll() {
    assertThat(commands.mset(VALUES)).isEqualTo("OK");
    assertThat(commands.mget("c", "a", "none", "b"))
        .containsExactly(
            KeyValue.just("c", "3"),
            KeyValue.just("a", "1"),
            KeyValue.empty("none"),
            KeyValue.just("b", "2"));
    assertThat(commands.exists(KEYS)).isEqualTo(3);
    assertThat(commands.touch("a", "none")).isEqualTo(1);
    assertThat(commands.dbsize()).isEqualTo(3);
    assertThat(commands.keys("*")).containsExactlyInAnyOrder(KEYS);
    assertThat(commands.unlink("a", "b")).isEqualTo(2);
    assertThat(commands.del(KEYS)).isEqualTo(1);
  }

  @Test
  void commandsOfSeveralSlots_timeOutWithNodeAndStage_andAreCounted() {
    commands.mset(VALUES);
    assertLate("MGET", () -> commands.mget(KEYS));
    assertLate("MSET", () -> commands.mset(VALUES));
    assertLate("EXISTS", () -> commands.exists(KEYS));
    assertLate("TOUCH", () -> commands.touch(KEYS));
    assertLate("UNLINK", () -> commands.unlink(KEYS));
    assertLate("DEL", () -> commands.del(KEYS));
  }

  private void assertLate(String command, Runnable call) {
    double before = counted();
    server.faults().pauseReading(true);
    assertThatThrownBy(call::run)
        .isInstanceOf(RedisCommandTimeoutException.class)
        .hasMessageMatching(
            command + " was not answered by 127\\.0\\.0\\.1:[0-9]+ within 300 ms \\(.+\\): .+");
    assertThat(counted() - before).isEqualTo(KEYS.length);
    server.faults().clear();
    assertThat(commands.exists("none")).isZero();
  }

  @Test
  void oneLateNode_isTheOneThatIsNamed() {
    commands.mset(VALUES);
    int late = server.nodes().get(1).port();
    server.faults().on(server.nodes().get(1)).pauseReading(true);
    assertThatThrownBy(() -> commands.mget(KEYS)).hasMessageContaining(":" + late + " within");
    assertThat(counted()).isEqualTo(1);
  }

  @Test
  void interruptedThread_staysInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> commands.mget(KEYS))
          .isInstanceOf(RedisCommandInterruptedException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(commands.mget(KEYS)).hasSize(3);
  }

  @Test
  void withoutATimeOut_repliesAreAwaited() {
    sheaf.cluster().setTimeout(Duration.ZERO);
    assertThat(commands.mset(VALUES)).isEqualTo("OK");
    assertThat(commands.mget(KEYS)).hasSize(3);
  }

  @Test
  void readsThatLettuceRoutes_timeOutWithNodeAndStage() {
    commands.mset(VALUES);
    sheaf.cluster().setReadFrom(ReadFrom.REPLICA_PREFERRED);
    sheaf.getAll(List.of(KEYS)); // Opens the connections.
    server.faults().pauseReading(true);
    assertThat(sheaf.getAll(List.of(KEYS)).values())
        .allSatisfy(
            result ->
                assertThat(((Result.Failure<String>) result).error())
                    .isInstanceOf(RedisCommandTimeoutException.class)
                    .hasMessageMatching(
                        "GET was not answered by 127\\.0\\.0\\.1:[0-9]+ within 300 ms \\(.+\\): .+"));
    assertThat(counted()).isEqualTo(KEYS.length);
  }

  private double counted() {
    return meters.find("sheaf.timeouts").counters().stream().mapToDouble(Counter::count).sum();
  }
}
