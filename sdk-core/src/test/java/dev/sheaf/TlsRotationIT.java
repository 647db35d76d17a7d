// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.Await;
import dev.sheaf.testkit.Certificates;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RespConnection;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SslOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A redis-server whose certificate is replaced while a client lives. */
class TlsRotationIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path directory;

  private Certificates certificates;

  @BeforeEach
  void certificates() {
    certificates = new Certificates(directory);
  }

  @Test
  void certificateThatIsReplaced_isThatOfTheNextConnection() throws Exception {
    certificates.authority("first");
    certificates.certificate("old", "first");
    certificates.certificate("new", "first");
    use(
        (admin, sheaf, port) -> {
          assertThat(shownAt(port)).contains("CN=old");
          install(admin, "new", "first");
          cut(admin, sheaf);
          assertThat(shownAt(port)).contains("CN=new");
          works(sheaf);
        });
  }

  /** The file of trusted authorities is read with each connection. */
  @Test
  void authorityThatIsReplaced_isTrustedWithTheNextConnection() throws Exception {
    certificates.authority("first");
    certificates.authority("second");
    certificates.certificate("old", "first");
    certificates.certificate("new", "second");
    use(
        (admin, sheaf, port) -> {
          install(admin, "new", "second");
          trust("second");
          cut(admin, sheaf);
          assertThat(shownAt(port)).contains("CN=new");
          works(sheaf);
        });
  }

  /** What cannot be trusted is not spoken to; it heals once it can be. */
  @Test
  void certificateOfAStranger_isDownUntilItIsTrusted() throws Exception {
    certificates.authority("first");
    certificates.authority("stranger");
    certificates.certificate("old", "first");
    certificates.certificate("new", "stranger");
    use(
        (admin, sheaf, port) -> {
          install(admin, "new", "stranger");
          String before = sheaf.sync().clientId().toString();
          admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          Await.until("DOWN", PATIENCE, () -> !sheaf.availability().isAvailable());
          trust("stranger");
          Await.until("UP", PATIENCE, () -> sheaf.availability().isAvailable());
          // The connection of the availability can be back before the other has seen its end.
          awaitAnother(sheaf, before);
          works(sheaf);
        });
  }

  private interface Rotation {
    void run(RespConnection admin, Sheaf<String, String> sheaf, int port) throws Exception;
  }

  /** Runs with a server that has the certificate called old, of an authority called first. */
  private void use(Rotation rotation) throws Exception {
    RealRedis.require();
    trust("first");
    int port = freePort();
    try (RealRedis server =
            RealRedis.builder()
                .config(
                    "tls-port " + port,
                    "tls-cert-file " + certificates.file("old.crt"),
                    "tls-key-file " + certificates.file("old.key"),
                    "tls-ca-cert-file " + certificates.file("first.crt"),
                    "tls-auth-clients no")
                .start();
        RespConnection admin = RespConnection.open("127.0.0.1", server.port());
        Sheaf<String, String> sheaf =
            Sheaf.builder("rediss://127.0.0.1:" + port)
                .clientOptions(
                    ClientOptions.builder()
                        .sslOptions(
                            SslOptions.builder()
                                .jdkSslProvider()
                                .trustManager(directory.resolve("trusted.crt").toFile())
                                .build())
                        .build())
                .connect()) {
      works(sheaf);
      rotation.run(admin, sheaf, port);
    }
  }

  private static void works(Sheaf<String, String> sheaf) {
    Map<String, String> values = Map.of("a", "1", "b", "2");
    assertThat(sheaf.setAll(values).values()).allMatch(result -> !result.isFailure());
    values.forEach((key, value) -> assertThat(sheaf.sync().get(key)).isEqualTo(value));
    values.forEach((key, value) -> assertThat(sheaf.bulk().sync().get(key)).isEqualTo(value));
  }

  private void install(RespConnection admin, String certificate, String authority) {
    admin.call(
        "CONFIG",
        "SET",
        "tls-cert-file",
        certificates.file(certificate + ".crt").toString(),
        "tls-key-file",
        certificates.file(certificate + ".key").toString(),
        "tls-ca-cert-file",
        certificates.file(authority + ".crt").toString());
  }

  /** Ends all connections of the client, and waits until it has noticed and has others. */
  private static void cut(RespConnection admin, Sheaf<String, String> sheaf) {
    String before = sheaf.sync().clientId().toString();
    admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    awaitAnother(sheaf, before);
  }

  private static void awaitAnother(Sheaf<String, String> sheaf, String before) {
    Await.until(
        "another connection",
        PATIENCE,
        () -> {
          try {
            return !sheaf.sync().clientId().toString().equals(before);
          } catch (RuntimeException notYet) {
            return false;
          }
        });
  }

  private void trust(String authority) throws IOException {
    Path next = directory.resolve("trusted.next");
    Files.copy(certificates.file(authority + ".crt"), next, StandardCopyOption.REPLACE_EXISTING);
    Files.move(next, directory.resolve("trusted.crt"), StandardCopyOption.REPLACE_EXISTING);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The subject of the certificate that the server shows now. */
  private static String shownAt(int port) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, new SecureRandom());
    try (SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
      socket.startHandshake();
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
          .getSubjectX500Principal()
          .getName();
    }
  }

  private static final class TrustsAll implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
