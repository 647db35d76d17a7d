// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sheaf.BatchingOptions;
import dev.sheaf.Sheaf;
import dev.sheaf.embedded.EmbeddedServer;
import dev.sheaf.testkit.Await;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever is wrong with the other side: a clear error, in bounded time. */
@Timeout(180)
class ConnectFailureTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "localhost:6379 | has no scheme",
        "http://localhost | begins with http://",
        "redis:// | Not a server URI",
        "redis://localhost:notaport | Not a server URI",
        "redis://localhost?tiemout=3s | Unknown option tiemout",
        "redis://user:secret@localhost?x=1 | Unknown option x",
      })
  void wrongUri_saysWhatIsWrong(String uri, String reason) {
    assertThatThrownBy(() -> Sheaf.connect(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason)
        .hasMessageNotContaining("secret");
  }

  @Test
  void noServer_saysRefused() throws IOException {
    int port;
    try (ServerSocket unused = new ServerSocket(0)) {
      port = unused.getLocalPort();
    }
    assertThatThrownBy(() -> Sheaf.connect("redis://:secret@127.0.0.1:" + port))
        .isInstanceOf(RedisConnectionException.class)
        .hasMessageContaining("127.0.0.1:" + port)
        .hasMessageContaining("refused")
        .hasMessageNotContaining("secret");
  }

  @Test
  void unknownHost_saysSo() {
    assertThatThrownBy(() -> Sheaf.connect("redis://no-such-host.invalid"))
        .isInstanceOf(RedisConnectionException.class)
        .hasMessageContaining("host name is unknown");
  }

  @Test
  void silentServer_isGivenUpAfterTheConnectTimeout() throws IOException {
    try (Peer peer = new Peer("")) {
      assertThatThrownBy(
              () -> Sheaf.builder(peer.uri()).connectTimeout(Duration.ofMillis(300)).connect())
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("300 ms")
          .hasMessageContaining("is it a Redis server?");
    }
  }

  @Test
  void serverOfAnotherProtocol_saysSo() throws IOException {
    try (Peer peer = new Peer("HTTP/1.1 400 Bad Request\r\n\r\n")) {
      assertThatThrownBy(
              () -> Sheaf.builder(peer.uri()).connectTimeout(Duration.ofSeconds(30)).connect())
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("does not speak the Redis protocol");
    }
  }

  @Test
  void serverThatHangsUp_isAConnectionFailure() throws IOException {
    try (Peer peer = new Peer(null)) {
      assertThatThrownBy(
              () -> Sheaf.builder(peer.uri()).connectTimeout(Duration.ofSeconds(30)).connect())
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining(peer.uri());
    }
  }

  /** The resources belong to the application, so nothing ends with them. */
  @Test
  void attemptThatFailsOnceConnected_leavesNoConnection() throws Exception {
    MeterRegistry registry = new SimpleMeterRegistry();
    registry
        .config()
        .meterFilter(
            MeterFilter.accept(
                id -> {
                  if (id.getName().startsWith("sheaf.loops")) {
                    throw new IllegalStateException("No such meter");
                  }
                  return true;
                }));
    ClientResources resources = ClientResources.create();
    RedisClient plain = RedisClient.create(resources);
    try (EmbeddedServer server = EmbeddedServer.start();
        var observer = plain.connect(RedisURI.create(server.uri()))) {
      assertThatThrownBy(
              () ->
                  Sheaf.builder(server.uri())
                      .clientResources(resources)
                      .meterRegistry(registry)
                      .loopDetection(true)
                      .connect())
          .hasStackTraceContaining("No such meter");

      Await.until(
          "the connection to be closed",
          Duration.ofSeconds(60),
          () -> observer.sync().clientList().lines().count() == 1);
    } finally {
      plain.shutdown(0, 2, TimeUnit.SECONDS);
      resources.shutdown(0, 2, TimeUnit.SECONDS).sync();
    }
  }

  /** Lettuce looks for its handshake in the pipeline of a socket that may have ended by then. */
  @Test
  void hangUpThatLettuceNoticesLate_isOneToo() {
    RuntimeException late =
        new IllegalStateException(
            "Unable to connect", new IllegalStateException("RedisHandshakeHandler not registered"));
    assertThat(ConnectFailures.isHangUp(late)).isTrue();
    assertThat(ConnectFailures.reason(late, Duration.ofSeconds(1)))
        .startsWith("the server closed the connection at once");
  }

  @Test
  void wrongOrMissingPassword_saysWhich() {
    try (EmbeddedServer server = EmbeddedServer.builder().password("right").start()) {
      String address = "127.0.0.1:" + server.port();
      assertThatThrownBy(() -> Sheaf.connect("redis://" + address))
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("asks for a password");
      assertThatThrownBy(() -> Sheaf.connect("redis://:wrong@" + address))
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("refused the user name or password")
          .hasMessageNotContaining("wrong@");
      try (Sheaf<String, String> sheaf = Sheaf.connect("redis://:right@" + address)) {
        assertThat(sheaf.sync().ping()).isEqualTo("PONG");
      }
    }
  }

  @Test
  void tlsToAPlainPort_saysSo() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      assertThatThrownBy(() -> Sheaf.connect("rediss://127.0.0.1:" + server.port()))
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("does not speak TLS on that port; write redis://");
    }
  }

  /** The first bytes are those of an alert of TLS. */
  @Test
  void plainToATlsPort_saysSo() throws IOException {
    try (Peer peer = new Peer("\u0015\u0003\u0003\u0000\u0002\u0002\u0046")) {
      assertThatThrownBy(
              () -> Sheaf.builder(peer.uri()).connectTimeout(Duration.ofSeconds(2)).connect())
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("expects TLS on that port; write rediss://");
    }
  }

  @Test
  void plainToATlsPortThatHangsUp_namesTls() {
    for (String message : List.of("Connection reset by peer", "Connection reset")) {
      assertThat(ConnectFailures.reason(new IOException(message), Duration.ofSeconds(1)))
          .contains("if it expects TLS, write rediss://");
    }
  }

  @Test
  void certificateThatIsNotTrusted_saysWhatToGive() {
    SSLHandshakeException failure =
        new SSLHandshakeException("PKIX path building failed: unable to find valid certification");
    assertThat(ConnectFailures.reason(failure, Duration.ofSeconds(1)))
        .contains("this Java does not trust")
        .contains("SslOptions");
    SSLHandshakeException otherName =
        new SSLHandshakeException("No subject alternative names matching IP address 1.2.3.4 found");
    assertThat(ConnectFailures.reason(otherName, Duration.ofSeconds(1)))
        .contains("is not for this host")
        .contains("verifyPeer=CA");
  }

  @Test
  void sentinelUriOfAPlainServer_saysSo() {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      assertThatThrownBy(
              () ->
                  Sheaf.builder("redis-sentinel://127.0.0.1:" + server.port() + "#main")
                      .connectTimeout(Duration.ofMillis(500))
                      .connect())
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("no Sentinel told where the master is")
          .hasMessageContaining("write redis://host:port");
    }
  }

  @Test
  void twoServersThatAreNoCluster_areRefused() {
    try (EmbeddedServer one = EmbeddedServer.start();
        EmbeddedServer other = EmbeddedServer.start()) {
      assertThatThrownBy(
              () -> Sheaf.connect("redis://127.0.0.1:" + one.port() + ",127.0.0.1:" + other.port()))
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("is a single server, and the URI names 2")
          .hasMessageContaining("write one address");
    }
  }

  @Test
  void passwordThatAServerRepeats_isNotShown() throws IOException {
    String password = "Tr0ub^dor";
    try (Peer peer = new Peer("-ERR args beginning with: 'AUTH' 'ub^dor\r\n".repeat(20))) {
      assertThatThrownBy(
              () ->
                  Sheaf.builder(peer.uri().replace("://", "://:" + password + "@"))
                      .connectTimeout(Duration.ofSeconds(2))
                      .connect())
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageContaining("repeats the password")
          .hasNoCause()
          .satisfies(
              e -> {
                StringWriter all = new StringWriter();
                e.printStackTrace(new PrintWriter(all));
                assertThat(all.toString()).doesNotContain("^dor");
              });
    }
  }

  @Test
  void hostNameThatIsNotResolved_isGivenUp() {
    CountDownLatch answered = new CountDownLatch(1);
    assertThatThrownBy(
            () ->
                HostNames.require(
                    "slow.example",
                    Duration.ofMillis(10),
                    host -> {
                      answered.await();
                      return null;
                    }))
        .satisfies(
            e ->
                assertThat(ConnectFailures.reason(e, Duration.ofMillis(10)))
                    .contains("slow.example was not resolved within 10 ms (connectTimeout)")
                    .contains("DNS"));
    answered.countDown();
  }

  @Test
  void secondAddress_isTriedWhenTheFirstFails() throws IOException {
    int unused;
    try (ServerSocket socket = new ServerSocket(0)) {
      unused = socket.getLocalPort();
    }
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(1, 0).start();
        Sheaf<String, String> sheaf =
            Sheaf.connect("redis://127.0.0.1:" + unused + ",127.0.0.1:" + server.port())) {
      assertThat(sheaf.sync().ping()).isEqualTo("PONG");
    }
  }

  @Test
  void databaseOfACluster_isRefusedWithTheReason() {
    try (EmbeddedServer server = EmbeddedServer.builder().cluster(1, 0).start()) {
      assertThatThrownBy(() -> Sheaf.connect(server.uri() + "/3"))
          .isInstanceOf(RedisConnectionException.class)
          .hasMessageMatching("(?s).*(database 0 only|SELECT is not allowed in cluster mode).*");
    }
  }

  @Test
  void wrongOptions_nameThemselves() {
    assertThatThrownBy(() -> Sheaf.builder("redis://h").connectTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("connectTimeout")
        .hasMessageContaining("PT0S");
    assertThatThrownBy(() -> BatchingOptions.builder().maxFusedKeys(1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxFusedKeys must be at least 2, but was 1");
    assertThatThrownBy(() -> Sheaf.builder(List.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("At least one");
  }

  /** Accepts connections and answers each with the same bytes, or hangs up if there are none. */
  private static final class Peer implements AutoCloseable {

    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> accepted = new ArrayList<>();
    private final Thread thread;

    Peer(String answer) throws IOException {
      thread = new Thread(() -> serve(answer));
      thread.setDaemon(true);
      thread.start();
    }

    private void serve(String answer) {
      try {
        while (true) {
          Socket client = socket.accept();
          accepted.add(client);
          if (answer == null) {
            client.close();
          } else if (client.getInputStream().read() >= 0) {
            // A server answers what it was asked; a reply before that would be that of nothing.
            client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            client.getOutputStream().flush();
          }
        }
      } catch (IOException closed) {
        // The test is over.
      }
    }

    String uri() {
      return "redis://127.0.0.1:" + socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
      for (Socket client : accepted) {
        client.close();
      }
    }
  }
}
