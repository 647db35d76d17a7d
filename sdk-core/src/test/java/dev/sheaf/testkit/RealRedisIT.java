// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RealRedisIT {
  private static final Duration SOON = Duration.ofSeconds(5);

  @BeforeAll
  static void needsRedis() {
    RealRedis.require();
  }

  @Test
  void start_servesClientsAndKeepsNoFile() {
    try (RealRedis server = RealRedis.start();
        LettuceClient client = new LettuceClient(server.uri())) {
      assertThat(client.connection.sync().set("k", "v")).isEqualTo("OK");
      assertThat(client.connection.sync().get("k")).isEqualTo("v");
      assertThat(server.command("CONFIG", "GET", "save")).isEqualTo(List.of("save", ""));
    }
  }

  @Test
  void start_unixSocket_servesClients() throws IOException {
    try (RealRedis server = RealRedis.builder().unixSocket().start();
        SocketChannel client =
            SocketChannel.open(UnixDomainSocketAddress.of(server.unixSocket()))) {
      client.write(ByteBuffer.wrap("PING\r\n".getBytes(StandardCharsets.US_ASCII)));
      ByteBuffer reply = ByteBuffer.allocate("+PONG\r\n".length());
      while (reply.hasRemaining()) {
        assertThat(client.read(reply)).isPositive();
      }
      assertThat(new String(reply.array(), StandardCharsets.US_ASCII)).isEqualTo("+PONG\r\n");
    }
  }

  @Test
  void start_configLines_areInForce() {
    try (RealRedis server = RealRedis.start("maxmemory 5mb", "requirepass secret")) {
      assertThatThrownBy(() -> server.command("PING")).hasMessageStartingWith("NOAUTH");
      try (RespConnection connection = server.connect()) {
        connection.call("AUTH", "secret");
        assertThat(connection.list("CONFIG", "GET", "maxmemory").get(1)).isEqualTo("5242880");
      }
    }
  }

  @Test
  void start_faultyConfigLine_throwsWithWhatTheServerPrinted() {
    assertThatThrownBy(() -> RealRedis.start("no-such-option 1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no-such-option 1");
  }

  @Test
  void start_portInUse_throwsWithWhatTheServerPrinted() {
    try (RealRedis server = RealRedis.start()) {
      assertThatThrownBy(() -> RealRedis.builder().port(server.port()).start())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Address already in use");
      assertThat(server.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void pause_answersNothing_resume_answersWhatWasAsked() throws Exception {
    try (RealRedis server = RealRedis.start();
        LettuceClient patient = new LettuceClient(server.uri());
        LettuceClient client = new LettuceClient(server.uri())) {
      client.connection.setTimeout(Duration.ofMillis(100));
      server.pause();
      var pending = patient.connection.async().echo("asked while paused");
      assertThatThrownBy(() -> client.connection.sync().ping())
          .isInstanceOf(RedisCommandTimeoutException.class);
      assertThat(pending.isDone()).isFalse();

      server.resume();
      assertThat(pending.toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo("asked while paused");
    }
  }

  @Test
  void kill_restart_samePortWithoutTheData() {
    try (RealRedis server = RealRedis.start();
        LettuceClient client = new LettuceClient(server.uri())) {
      client.connection.sync().set("k", "v");
      long first = server.pid();
      server.kill();
      assertThat(server.isAlive()).isFalse();
      assertThat(isRunning(first)).isFalse();

      server.restart();
      assertThat(server.pid()).isNotEqualTo(first);
      Await.until("the reconnect", SOON, () -> client.connection.sync().get("k") == null);
    }
  }

  @Test
  void stop_leavesNoProcessAndNoFile_alsoWhenPaused() {
    RealRedis server = RealRedis.builder().unixSocket().start();
    Path directory = server.unixSocket().getParent();
    assertThat(directory).exists();
    assertThat(isRunning(server.pid())).isTrue();
    server.pause();

    server.stop();
    assertThat(isRunning(server.pid())).isFalse();
    assertThat(directory).doesNotExist();
    server.stop();
  }

  @Test
  void killedJvm_leavesNoProcessAndNoFile() throws Exception {
    Process jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                StartsAndWaits.class.getName())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader printed =
        new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8))) {
      long server = Long.parseLong(String.valueOf(printed.readLine()));
      Path directory = Path.of(String.valueOf(printed.readLine()));
      assertThat(isRunning(server)).isTrue();
      assertThat(directory).exists();

      jvm.destroyForcibly().waitFor();
      Await.until("the server to end", SOON, () -> !isRunning(server));
      Await.until("the files to go", SOON, () -> Files.notExists(directory.getParent()));
    } finally {
      jvm.destroyForcibly();
    }
  }

  private static boolean isRunning(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  /** A test run that is killed before it stops its server. */
  static final class StartsAndWaits {
    public static void main(String[] arguments) throws IOException, InterruptedException {
      RealRedis server = RealRedis.start();
      System.out.println(server.pid());
      System.out.println(server.unixSocket().getParent());
      new CountDownLatch(1).await();
    }
  }

  private static final class LettuceClient implements AutoCloseable {
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    LettuceClient(String uri) {
      client = RedisClient.create(RedisURI.create(uri));
      connection = client.connect();
    }

    @Override
    public void close() {
      client.shutdown(Duration.ZERO, SOON);
    }
  }
}
