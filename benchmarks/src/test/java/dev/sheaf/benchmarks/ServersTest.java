package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @ParameterizedTest
  @EnumSource(ServerKind.class)
  void open_everyKind_everyClientReadsRightValuesInEveryWay(ServerKind kind) {
    assumeInstalled();
    String[] keys = new String[250];
    String[] values = new String[keys.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = Dataset.key(i * 399);
      values[i] = Dataset.value(i * 399);
    }
    String[] few = Arrays.copyOf(keys, 5);
    String[] following = new String[few.length];
    for (int i = 0; i < few.length; i++) {
      following[i] = Dataset.value(Dataset.following(i * 399));
    }
    try (Servers servers = Servers.open(kind)) {
      for (Client client : Client.values()) {
        if (!client.runsHere()) {
          continue;
        }
        try (Rival rival = client.connect(kind, servers.uri(), 2)) {
          assertThat(rival.get(keys[7])).isEqualTo(values[7]);
          assertThat(rival.get("sheaf-bench:none")).isNull();
          if (client.pings()) {
            rival.ping();
          }
          for (Way way : Way.values()) {
            if (client.offers(way, kind)) {
              assertThat(rival.read(way, keys)).as("%s %s", client, way).isEqualTo(values);
              assertThat(rival.readDependent(way, few))
                  .as("%s %s, dependent", client, way)
                  .isEqualTo(following);
            }
          }
        }
      }
    }
  }

  @Test
  void close_cluster_leavesNoProcessAndNoFile() {
    assumeInstalled();
    Servers servers = Servers.open(ServerKind.CLUSTER);
    assertThat(servers.started()).hasSize(3);
    long keys = 0;
    for (RedisProcess node : servers.started()) {
      try (Jedis jedis = node.connect()) {
        assertThat(jedis.dbSize()).isGreaterThan(Dataset.KEYS / 4);
        keys += jedis.dbSize();
      }
    }
    assertThat(keys).isEqualTo(Dataset.KEYS + Layout.TAGGED.keys() + 1);

    servers.close();

    for (RedisProcess node : servers.started()) {
      await("the server ends", () -> !node.handle().isAlive());
      await("its directory goes", () -> !Files.exists(node.directory()));
    }
  }

  @Test
  void start_jvmKilled_leavesNoProcessAndNoFile() throws IOException {
    assumeInstalled();
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Starter.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader output =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
      ProcessHandle server = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
      Path directory = Path.of(output.readLine());
      assertThat(server.isAlive()).isTrue();
      assertThat(directory).exists();

      jvm.destroyForcibly();

      await("the server ends", () -> !server.isAlive());
      await("its directory goes", () -> !Files.exists(directory));
    } finally {
      jvm.destroyForcibly();
    }
  }

  @Test
  void open_runningServerOfAnotherKind_saysWhatToSwap() {
    assumeInstalled();
    try (RedisProcess single = RedisProcess.start(false)) {
      String property = ServerKind.CLUSTER.property();
      System.setProperty(property, "redis://" + single.address());
      try {
        assertThatThrownBy(() -> Servers.open(ServerKind.CLUSTER))
            .isInstanceOf(ComparisonException.class)
            .hasMessageContaining("-Dredis.cluster.uri names redis://" + single.address())
            .hasMessageContaining("is not a cluster");
      } finally {
        System.clearProperty(property);
      }
    }
  }

  @Test
  void ask_commandsSentAndCounted_differenceIsTheirNumber() {
    assumeInstalled();
    try (RedisProcess server = RedisProcess.start(false);
        Jedis jedis = server.connect()) {
      String uri = "redis://" + server.address();
      ServerCounters before = ServerCounters.ask(uri);
      for (int i = 0; i < 500; i++) {
        jedis.get("key");
      }
      ServerCounters spent = ServerCounters.ask(uri).minus(before);

      // The questions themselves: two or three commands each.
      assertThat(spent.commands()).isBetween(500L, 510L);
      assertThat(spent.reads()).isBetween(500L, 520L);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"localhost:6379", "redis://localhost", "rediss://h:1", "redis://:pw@h:1", ":/"})
  void address_otherForm_saysWhichIsMeant(String uri) {
    assertThatThrownBy(() -> Servers.address(uri))
        .isInstanceOf(ComparisonException.class)
        .hasMessageEndingWith("redis://host:port, without a password, but was " + uri);
  }

  @Test
  void randomIndexes_anyTime_neverTheSameTwice() {
    for (int i = 0; i < 1_000; i++) {
      assertThat(Dataset.randomIndexes(100, Dataset.KEYS)).doesNotHaveDuplicates();
      assertThat(Dataset.randomIndexes(1_000, Layout.TAGGED.keys())).doesNotHaveDuplicates();
    }
  }

  @Test
  void check_wrongValue_isNotCounted() {
    assertThatThrownBy(() -> Dataset.check(1, Dataset.value(2)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> Dataset.check(1, null)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> Dataset.check(new int[] {1, 2}, new String[] {Dataset.value(1)}))
        .isInstanceOf(IllegalStateException.class);
  }

  private static void assumeInstalled() {
    assumeTrue(RedisProcess.isInstalled(), "skipped: redis-server is not on the PATH");
  }

  private static void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).as("time left until " + what).isNegative();
      Thread.onSpinWait();
      Thread.yield();
    }
  }

  /** Starts a server and waits to be killed. */
  static final class Starter {

    private Starter() {}

    public static void main(String[] args) throws InterruptedException {
      RedisProcess server = RedisProcess.start(false);
      System.out.println(server.handle().pid());
      System.out.println(server.directory());
      System.out.flush();
      Thread.currentThread().join();
    }
  }
}
