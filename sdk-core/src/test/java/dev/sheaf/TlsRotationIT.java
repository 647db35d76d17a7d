package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.testkit.Await;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A redis-server whose certificate is replaced while a client lives. */
class TlsRotationIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int OPENSSL_SECONDS = 60;

  @TempDir Path directory;

  @Test
  void certificateThatIsReplaced_isThatOfTheNextConnection() throws Exception {
    authority("first");
    certificate("old", "first");
    certificate("new", "first");
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
    authority("first");
    authority("second");
    certificate("old", "first");
    certificate("new", "second");
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
    authority("first");
    authority("stranger");
    certificate("old", "first");
    certificate("new", "stranger");
    use(
        (admin, sheaf, port) -> {
          install(admin, "new", "stranger");
          admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
          Await.until("DOWN", PATIENCE, () -> !sheaf.availability().isAvailable());
          trust("stranger");
          Await.until("UP", PATIENCE, () -> sheaf.availability().isAvailable());
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
                    "tls-cert-file " + directory.resolve("old.crt"),
                    "tls-key-file " + directory.resolve("old.key"),
                    "tls-ca-cert-file " + directory.resolve("first.crt"),
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
        directory.resolve(certificate + ".crt").toString(),
        "tls-key-file",
        directory.resolve(certificate + ".key").toString(),
        "tls-ca-cert-file",
        directory.resolve(authority + ".crt").toString());
  }

  /** Ends all connections of the client, and waits until it has noticed and has others. */
  private static void cut(RespConnection admin, Sheaf<String, String> sheaf) {
    String before = sheaf.sync().clientId().toString();
    admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
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
    Files.copy(directory.resolve(authority + ".crt"), next, StandardCopyOption.REPLACE_EXISTING);
    Files.move(next, directory.resolve("trusted.crt"), StandardCopyOption.REPLACE_EXISTING);
  }

  private void authority(String name) throws Exception {
    openssl(name, List.of("-addext", "basicConstraints=critical,CA:TRUE"));
  }

  private void certificate(String name, String authority) throws Exception {
    openssl(
        name,
        List.of(
            "-CA",
            directory.resolve(authority + ".crt").toString(),
            "-CAkey",
            directory.resolve(authority + ".key").toString(),
            "-addext",
            "basicConstraints=critical,CA:FALSE",
            "-addext",
            "subjectAltName=IP:127.0.0.1"));
  }

  private void openssl(String name, List<String> options) throws Exception {
    List<String> command =
        new ArrayList<>(List.of("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt"));
    command.addAll(List.of("ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"));
    command.addAll(List.of("-subj", "/CN=" + name));
    command.addAll(List.of("-keyout", directory.resolve(name + ".key").toString()));
    command.addAll(List.of("-out", directory.resolve(name + ".crt").toString()));
    command.addAll(options);
    Process openssl =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("openssl").toFile())
            .start();
    assertThat(openssl.waitFor(OPENSSL_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(openssl.exitValue()).as(Files.readString(directory.resolve("openssl"))).isZero();
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
