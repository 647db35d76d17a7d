package dev.sheaf.benchmarks.servers;

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
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServersTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void close_cluster_leavesNoProcessAndNoFile() {
    assumeInstalled();
    Servers servers = Servers.open(ServerKind.CLUSTER);
    assertThat(servers.started()).hasSize(3);
    long keys = 0;
    for (RedisProcess node : servers.started()) {
      try (Jedis jedis = node.connect()) {
        assertThat(jedis.dbSize()).isGreaterThan(Dataset.SMALL.keys() / 4);
        keys += jedis.dbSize();
      }
    }
    assertThat(keys).isEqualTo(Dataset.SMALL.keys() + Dataset.LARGE.keys() + 1);

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

  @ParameterizedTest
  @EnumSource(Dataset.class)
  void check_otherValue_isNotCounted(Dataset data) {
    String value = data.value(1);

    assertThat(data.check(1, value)).isEqualTo(value);
    assertThatThrownBy(() -> data.check(1, data.value(2)))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> data.check(1, null)).isInstanceOf(IllegalStateException.class);
    // The last letter counts, too.
    assertThatThrownBy(() -> data.check(1, value.substring(0, value.length() - 1) + "!"))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void neighbours_closed_areGone() {
    Set<ProcessHandle> before = descendants();
    Neighbours neighbours = new Neighbours(2);
    Set<ProcessHandle> started = descendants();
    started.removeAll(before);
    assertThat(started).hasSizeGreaterThanOrEqualTo(2);

    neighbours.close();

    await("the processes end", () -> started.stream().noneMatch(ProcessHandle::isAlive));
  }

  private static Set<ProcessHandle> descendants() {
    return ProcessHandle.current().descendants().collect(Collectors.toSet());
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
