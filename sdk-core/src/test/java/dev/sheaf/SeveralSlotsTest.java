// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.compression.Compressor;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.StringCodec;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocking commands for which Lettuce sends one to each slot or node: replies and time-outs. */
class SeveralSlotsTest {

  /** Of three slots, and of all three nodes. */
  private static final Map<String, String> VALUES = Map.of("a", "1", "b", "2", "c", "3");

  private static final String[] KEYS = {"a", "b", "c"};

  private static final int CALLERS = 3;

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

  /** Lettuce sends a command for each slot, one after the other. */
  @Test
  void largeWritesOfSeveralSlots_areSentInParts() {
    AtomicBoolean sentEarly = new AtomicBoolean();
    int slots = 8;
    StringCodec watching =
        new StringCodec() {
          private int encoded;

          @Override
          public void encodeValue(String value, ByteBuf target) {
            if (++encoded == slots) {
              Await.until(
                  "the first values to arrive",
                  Duration.ofSeconds(60),
                  () -> server.nodes().stream().anyMatch(node -> node.stats().count("MSET") > 0));
              sentEarly.set(true);
            }
            super.encodeValue(value, target);
          }
        };
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < slots; i++) {
      values.put("large:" + i, "v".repeat(SheafBuilder.BYTES_PER_SLICE / 2));
    }
    try (Sheaf<String, String> patient = Sheaf.builder(server.uri()).codec(watching).connect()) {
      assertThat(patient.sync().mset(values)).isEqualTo("OK");
      assertThat(sentEarly).isTrue();
      assertThat(patient.sync().mget(values.keySet().toArray(String[]::new)))
          .hasSize(slots)
          .allSatisfy(value -> assertThat(values).containsEntry(value.getKey(), value.getValue()));
    }
  }

  private void assertLate(String command, Runnable call) {
    double before = counted();
    server.faults().pauseReading(true);
    assertThatThrownBy(call::run)
        .isInstanceOf(RedisCommandTimeoutException.class)
        .hasMessageMatching(
            command + " was not answered by 127\\.0\\.0\\.1:[0-9]+ within [0-9]+ ms \\(.+\\): .+");
    assertCounted(before + KEYS.length);
    server.faults().clear();
    assertThat(commands.exists("none")).isZero();
  }

  @Test
  void oneLateNode_isTheOneThatIsNamed() {
    commands.mset(VALUES);
    int late = server.nodes().get(1).port();
    server.faults().on(server.nodes().get(1)).pauseReading(true);
    assertThatThrownBy(() -> commands.mget(KEYS)).hasMessageContaining(":" + late + " within");
    assertCounted(1);
  }

  /** Callers that drive event loops, and others that park, while redirects come. */
  @Test
  void whileSlotsMove_eachReplyIsThatOfItsKey() throws Exception {
    Map<String, String> values = new LinkedHashMap<>();
    for (int i = 0; i < 300; i++) {
      values.put("key:" + i, "value:" + i);
    }
    String[] keys = values.keySet().toArray(String[]::new);
    List<KeyValue<String, String>> expected =
        values.entrySet().stream().map(e -> KeyValue.just(e.getKey(), e.getValue())).toList();
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    AtomicBoolean moved = new AtomicBoolean();
    try (Sheaf<String, String> patient = Sheaf.connect(server.uri())) {
      patient.sync().mset(values);
      List<Future<Integer>> callers = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        callers.add(
            threads.submit(
                () -> {
                  int calls = 0;
                  while (calls == 0 || !moved.get()) {
                    assertThat(patient.sync().mset(values)).isEqualTo("OK");
                    assertThat(patient.sync().mget(keys)).isEqualTo(expected);
                    assertThat(patient.sync().exists(keys)).isEqualTo(keys.length);
                    calls++;
                  }
                  return calls;
                }));
      }
      List<EmbeddedNode> nodes = server.nodes();
      for (int i = 0; i < keys.length && !isAnyDone(callers); i++) {
        int slot = SlotHash.getSlot(keys[i]);
        int from = nodes.get(0).slots().get(slot) ? 0 : nodes.get(1).slots().get(slot) ? 1 : 2;
        server.migrateSlot(slot, nodes.get(from), nodes.get((from + 1) % 3));
      }
      moved.set(true);
      for (Future<Integer> caller : callers) {
        assertThat(caller.get(120, TimeUnit.SECONDS)).isPositive();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static boolean isAnyDone(List<Future<Integer>> callers) {
    return callers.stream().anyMatch(Future::isDone);
  }

  /**
   * Large compressed values complete on other threads. Lettuce's future of several commands is done
   * a moment before it lets its waiters go.
   */
  @Test
  void repliesThatOtherThreadsDecode_areNeverTakenForLate() {
    String large = "value ".repeat(50_000);
    try (Sheaf<String, String> compressing =
        Sheaf.builder(server.uri())
            .compression(CompressionOptions.of(CompressionPolicy.all(Compressor.snappy())))
            .connect()) {
      RedisClusterCommands<String, String> sync = compressing.sync();
      sync.mset(Map.of("a", large, "b", large, "c", large));
      for (int i = 0; i < 300; i++) {
        assertThat(sync.mget(KEYS)).hasSize(3).allMatch(each -> each.getValue().equals(large));
      }
    }
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
                        "GET was not answered by 127\\.0\\.0\\.1:[0-9]+ within [0-9]+ ms \\(.+\\): .+"));
    assertCounted(KEYS.length);
  }

  /** The count follows the end of a command, which may be by Lettuce's own timer. */
  private void assertCounted(double expected) {
    Await.until("the count", Duration.ofSeconds(60), () -> counted() >= expected);
    assertThat(counted()).isEqualTo(expected);
  }

  private double counted() {
    return meters.find("sheaf.timeouts").counters().stream().mapToDouble(Counter::count).sum();
  }
}
