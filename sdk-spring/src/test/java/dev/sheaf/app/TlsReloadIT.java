// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * The application with the starter while the files of its SSL bundle are replaced: first what it
 * trusts, then the certificate that it shows the server.
 */
class TlsReloadIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int OPENSSL_SECONDS = 60;

  @TempDir static Path directory;

  private static RedisServer server;
  private static RedisClient client;
  private static RedisCommands<String, String> admin;
  private static int port;

  private StringRedisTemplate redis;
  private Sheaf<String, String> sheaf;

  @BeforeAll
  static void server() throws Exception {
    for (String authority : List.of("first", "second")) {
      openssl(authority, List.of("-addext", "basicConstraints=critical,CA:TRUE"));
      certificate("server-of-" + authority, authority);
      certificate("client-of-" + authority, authority);
    }
    use("first.crt", "trusted.crt");
    use("client-of-first.crt", "client.crt");
    use("client-of-first.key", "client.key");
    server = RedisServer.startOrSkip();
    client = RedisClient.create(server.uri());
    admin = client.connect().sync();
    install("server-of-first", "first");
    port = freePort();
    admin.configSet("tls-port", Integer.toString(port));
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      client.shutdown(0, 0, TimeUnit.SECONDS);
      server.close();
    }
  }

  @Test
  @SuppressWarnings("unchecked") // The bean has these types.
  void newConnections_useWhatTheBundleHasBecome() throws Exception {
    try (ConfigurableApplicationContext application = start()) {
      redis = application.getBean(StringRedisTemplate.class);
      sheaf = application.getBean(Sheaf.class);
      works("at first");

      install("server-of-second", "first");
      cutUntilDown();
      use("second.crt", "trusted.crt");
      awaitUp();
      works("with another authority");

      install("server-of-second", "second");
      cutUntilDown();
      use("client-of-second.key", "client.key");
      use("client-of-second.crt", "client.crt");
      awaitUp();
      works("with another certificate");
    }
  }

  private static ConfigurableApplicationContext start() {
    return new SpringApplicationBuilder(ShopApplication.class)
        .web(WebApplicationType.NONE)
        .run(
            "--spring.data.redis.host=127.0.0.1",
            "--spring.data.redis.port=" + port,
            "--spring.data.redis.ssl.bundle=redis",
            "--spring.ssl.bundle.pem.redis.reload-on-update=true",
            "--spring.ssl.bundle.watch.file.quiet-period=100ms",
            "--spring.ssl.bundle.pem.redis.truststore.certificate=" + file("trusted.crt"),
            "--spring.ssl.bundle.pem.redis.keystore.certificate=" + file("client.crt"),
            "--spring.ssl.bundle.pem.redis.keystore.private-key=" + file("client.key"),
            "--sheaf.availability.timeout=5s");
  }

  private void works(String value) {
    Awaitility.await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              redis.opsForValue().set("key", value);
              assertThat(redis.opsForValue().get("key")).isEqualTo(value);
              assertThat(sheaf.sync().get("key")).isEqualTo(value);
            });
  }

  private void cutUntilDown() {
    admin.clientKill(KillArgs.Builder.typeNormal().skipme());
    Awaitility.await().atMost(PATIENCE).until(() -> !sheaf.availability().isAvailable());
  }

  private void awaitUp() {
    Awaitility.await().atMost(PATIENCE).until(() -> sheaf.availability().isAvailable());
  }

  /** A certificate of the server, and which clients it lets in. */
  private static void install(String certificate, String authority) {
    admin.configSet(
        Map.of(
            "tls-cert-file", directory.resolve(certificate + ".crt").toString(),
            "tls-key-file", directory.resolve(certificate + ".key").toString(),
            "tls-ca-cert-file", directory.resolve(authority + ".crt").toString(),
            "tls-auth-clients", "yes"));
  }

  private static void use(String source, String target) throws IOException {
    Path next = Files.createTempFile(directory.getParent(), "next", "");
    Files.copy(directory.resolve(source), next, StandardCopyOption.REPLACE_EXISTING);
    Files.move(next, directory.resolve(target), StandardCopyOption.REPLACE_EXISTING);
  }

  private static String file(String name) {
    return "file:" + directory.resolve(name);
  }

  private static void certificate(String name, String authority) throws Exception {
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

  private static void openssl(String name, List<String> options) throws Exception {
    List<String> command =
        new ArrayList<>(List.of(RedisServer.programOrSkip("openssl"), "req", "-x509", "-newkey"));
    command.addAll(List.of("rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name));
    command.addAll(List.of("-keyout", directory.resolve(name + ".key").toString()));
    command.addAll(List.of("-out", directory.resolve(name + ".crt").toString()));
    command.addAll(options);
    Process openssl =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(openssl.waitFor(OPENSSL_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(openssl.exitValue()).isZero();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
