// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.healing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.sheaf.BatchingOptions;
import dev.sheaf.OutcomeUnknownException;
import dev.sheaf.Sheaf;
import dev.sheaf.SheafBuilder;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.availability.AvailabilityState;
import dev.sheaf.availability.HealedConnection;
import dev.sheaf.availability.HealedConnection.Cause;
import dev.sheaf.availability.HealingOptions;
import dev.sheaf.availability.UnavailableException;
import dev.sheaf.embedded.EmbeddedNode;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.embedded.proxy.LatencyProxy;
import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.FixedName;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections that stay broken are closed and made anew, and nothing runs twice for that. */
@Timeout(180)
class HealingContractTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final EmbeddedServer first = EmbeddedServer.start();
  private final EmbeddedServer second = EmbeddedServer.start();
  private final FixedName name = new FixedName(first.port());
  private final ClientResources resources = name.resources();

  @AfterEach
  void close() {
    resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    first.close();
    second.close();
  }

  private SheafBuilder<String, String> client() {
    return Sheaf.builder(FixedName.URI).clientResources(resources);
  }

  private static boolean succeeds(Runnable command) {
    try {
      command.run();
      return true;
    } catch (RedisException e) {
      return false;
    }
  }

  private static List<Cause> causes(Sheaf<?, ?> sheaf) {
    return sheaf.healed().stream().map(HealedConnection::cause).toList();
  }

  @Test
  void readonlyReply_leadsToTheNewPrimary_withoutTheGuard() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    List<HealedConnection> told = new CopyOnWriteArrayList<>();
    try (Sheaf<String, String> sheaf =
        client()
            .meterRegistry(registry)
            .healing(HealingOptions.builder().listener(told::add).build())
            .connect()) {
      sheaf.sync().set("key", "first");
      first.faults().readOnly(true);
      name.leadTo(second.port());
      Await.until("a write", SOON, () -> succeeds(() -> sheaf.sync().set("key", "second")));
      assertThat(second.data().get("key")).contains("second");
      assertThat(causes(sheaf)).containsExactly(Cause.REPLICA);
      assertThat(sheaf.healed().get(0).node()).endsWith(":" + first.port());
      assertThat(sheaf.healed().get(0).reason()).contains("READONLY");
      assertThat(registry.get("sheaf.connections.healed").tag("cause", "replica").counter().count())
          .isEqualTo(1);
      Await.until("the listener", SOON, () -> told.equals(sheaf.healed()));
    }
  }

  @Test
  void oneRefusedWriteAmongReads_isEnough() throws Exception {
    try (Sheaf<String, String> sheaf = client().connect()) {
      first.faults().readOnly(true);
      name.leadTo(second.port());
      try (var batch = sheaf.batch()) {
        batch.add(commands -> commands.get("a"));
        batch.add(commands -> commands.set("key", "value"));
        batch.add(commands -> commands.get("b"));
      } catch (RedisException refusedOne) {
        // What is of interest is what follows.
      }
      Await.until("a new connection", SOON, () -> !sheaf.healed().isEmpty());
      assertThat(causes(sheaf)).containsExactly(Cause.REPLICA);
    }
  }

  @Test
  void otherConnectionsToTheSameNode_followTheOneThatWasRefused() {
    try (Sheaf<String, String> sheaf = client().connect()) {
      assertThat(sheaf.bulk().sync().get("key")).isNull();
      first.faults().readOnly(true);
      second.data().set("key", "of the new primary");
      name.leadTo(second.port());
      Await.until("a write", SOON, () -> succeeds(() -> sheaf.sync().set("other", "value")));
      Await.until(
          "a read of the new primary",
          SOON,
          () -> "of the new primary".equals(sheaf.bulk().sync().get("key")));
      assertThat(causes(sheaf)).containsExactly(Cause.REPLICA, Cause.REPLICA);
    }
  }

  @Test
  void liveDemotion_ofARealServer() {
    RealRedis.require();
    try (RealRedis old = RealRedis.start();
        RealRedis successor = RealRedis.start()) {
      name.leadTo(old.port());
      try (Sheaf<String, String> sheaf = client().connect()) {
        sheaf.sync().set("key", "old");
        old.command("REPLICAOF", successor.host(), String.valueOf(successor.port()));
        name.leadTo(successor.port());
        Await.until("a write", SOON, () -> succeeds(() -> sheaf.sync().set("key", "new")));
        assertThat(successor.command("GET", "key")).hasToString("new");
        assertThat(causes(sheaf)).contains(Cause.REPLICA);
      }
    }
  }

  @Test
  void silentConnection_isLeft_afterTheCommandTimeout() {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", first.port()).start()) {
      name.leadTo(proxy.port());
      try (Sheaf<String, String> sheaf =
          client().commandTimeout(Duration.ofMillis(200)).connect()) {
        sheaf.sync().set("key", "value");
        proxy.blackHole(true);
        name.leadTo(first.port());
        Await.until("a read", SOON, () -> "value".equals(sheaf.sync().get("key")));
        assertThat(causes(sheaf)).containsExactly(Cause.SILENT);
        assertThat(sheaf.healed().get(0).reason()).contains("longer than the command time-out");
      }
    }
  }

  @Test
  void silentConnection_isLeftByTheGuard_whileCommandsWait() throws Exception {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", first.port()).start()) {
      name.leadTo(proxy.port());
      try (Sheaf<String, String> sheaf =
          client().availability(AvailabilityOptions.defaults()).connect()) {
        sheaf.sync().set("key", "value");
        sheaf.availability().withTimeout(SOON).ping();
        proxy.blackHole(true);
        name.leadTo(first.port());
        RedisFuture<String> write = sheaf.async().set("unknown", "value");
        RedisFuture<String> read = sheaf.async().get("key");
        assertThat(read.get(60, TimeUnit.SECONDS)).as("sent again").isEqualTo("value");
        assertThat(catchThrowable(() -> write.get(60, TimeUnit.SECONDS)))
            .isInstanceOf(ExecutionException.class)
            .hasCauseInstanceOf(OutcomeUnknownException.class);
        assertThat(causes(sheaf)).containsExactly(Cause.SILENT);
        assertThat(sheaf.healed().get(0).reason()).contains("the node answers");
      }
    }
  }

  @Test
  void timeout_namesItsOwnCommand_andTheNode() {
    try (LatencyProxy proxy = LatencyProxy.builder().target("127.0.0.1", first.port()).start()) {
      name.leadTo(proxy.port());
      try (Sheaf<String, String> sheaf =
          client().commandTimeout(Duration.ofMillis(200)).connect()) {
        sheaf.sync().set("key", "value");
        proxy.blackHole(true);
        List<RedisFuture<?>> futures = new ArrayList<>();
        sheaf.standalone().setAutoFlushCommands(false);
        futures.add(sheaf.async().set("key", "other"));
        futures.add(sheaf.async().get("a"));
        futures.add(sheaf.async().get("b"));
        futures.add(sheaf.async().hlen("hash"));
        sheaf.standalone().flushCommands();
        List<String> messages = new ArrayList<>();
        for (RedisFuture<?> future : futures) {
          Throwable failure = catchThrowable(() -> future.get(60, TimeUnit.SECONDS)).getCause();
          assertThat(failure).isInstanceOf(RedisCommandTimeoutException.class);
          messages.add(failure.getMessage().replaceFirst(" by [\\d.]+:\\d+ within .*", " by NODE"));
        }
        assertThat(messages)
            .containsExactly(
                "SET was not answered by NODE",
                "GET was not answered by NODE",
                "GET was not answered by NODE",
                "HLEN was not answered by NODE");
      }
    }
  }

  @Test
  void movedToItself_isAsked_onANewConnection() {
    try (EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start();
        Sheaf<String, String> sheaf = Sheaf.connect(cluster.uri())) {
      EmbeddedNode node = cluster.nodes().get(0);
      cluster.faults().on(node).errorOn("SET", "MOVED 1 127.0.0.1:" + node.port());
      Await.until(
          "healing",
          SOON,
          () -> {
            for (int i = 0; i < 16 && sheaf.healed().isEmpty(); i++) {
              String key = "key:" + i;
              succeeds(() -> sheaf.sync().set(key, "value"));
            }
            return !sheaf.healed().isEmpty();
          });
      cluster.faults().clear();
      assertThat(causes(sheaf)).containsOnly(Cause.MOVED_LOOP);
      assertThat(sheaf.healed().get(0).node()).endsWith(":" + node.port());
      for (int i = 0; i < 16; i++) {
        String key = "key:" + i;
        Await.until("a write", SOON, () -> succeeds(() -> sheaf.sync().set(key, "value")));
      }
    }
  }

  @Test
  void loadingForTooLong_isLeft_whereverTheNameLeadsNow() {
    try (Sheaf<String, String> sheaf =
        client()
            .healing(HealingOptions.builder().refusedFor(Duration.ofMillis(50)).build())
            .connect()) {
      first.faults().loading(true);
      name.leadTo(second.port());
      Await.until("a write", SOON, () -> succeeds(() -> sheaf.sync().set("key", "value")));
      assertThat(causes(sheaf)).containsExactly(Cause.REFUSED);
    }
  }

  @Test
  void withoutHealing_theConnectionStays() {
    try (Sheaf<String, String> sheaf =
        client().healing(HealingOptions.builder().enabled(false).build()).connect()) {
      first.faults().readOnly(true);
      int lookups = name.lookups();
      for (int i = 0; i < 100; i++) {
        assertThat(succeeds(() -> sheaf.sync().set("key", "value"))).isFalse();
      }
      assertThat(sheaf.healed()).isEmpty();
      assertThat(name.lookups()).isEqualTo(lookups);
    }
  }

  @Test
  void whileTheNodeIsDown_commandsFailAtOnce_ifAskedTo() {
    try (Sheaf<String, String> sheaf =
        client()
            .batching(BatchingOptions.defaults())
            .availability(AvailabilityOptions.builder().failFastWhileDown(true).build())
            .codec(StringCodec.UTF8)
            .connect()) {
      sheaf.sync().set("key", "value");
      sheaf.availability().withTimeout(SOON).ping();
      first.faults().loading(true);
      Await.until(
          "DOWN",
          SOON,
          () -> {
            sheaf.availability().isAvailable();
            return sheaf.availability().status().state() == AvailabilityState.DOWN;
          });
      assertThat(catchThrowable(() -> sheaf.sync().get("key")))
          .isInstanceOf(UnavailableException.class)
          .hasMessageContaining("LOADING")
          .hasMessageContaining("failFastWhileDown");
      first.faults().loading(false);
      Await.until("UP", SOON, () -> succeeds(() -> sheaf.sync().get("key")));
    }
  }
}
