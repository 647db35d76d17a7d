// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.app;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.Sheaf;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The application with the starter on a redis-server that speaks TLS alone, by an SSL bundle. */
@SpringBootTest(
    classes = ShopApplication.class,
    properties = {
      "spring.data.redis.host=127.0.0.1",
      "spring.data.redis.ssl.bundle=redis",
      "sheaf.availability.timeout=5s"
    })
@DirtiesContext
class TlsApplicationIT {

  private static final int OPENSSL_SECONDS = 20;

  @TempDir static Path directory;

  private static RedisServer server;

  @Autowired StringRedisTemplate redis;

  @Autowired Sheaf<String, String> sheaf;

  @DynamicPropertySource
  static void server(DynamicPropertyRegistry registry) throws Exception {
    Path certificate = directory.resolve("redis.crt");
    Path key = directory.resolve("redis.key");
    makeCertificate(certificate, key);
    server = RedisServer.startWithTlsOrSkip(certificate, key);
    registry.add("spring.data.redis.port", server::port);
    registry.add("spring.ssl.bundle.pem.redis.truststore.certificate", () -> "file:" + certificate);
  }

  private static void makeCertificate(Path certificate, Path key) throws Exception {
    Process openssl =
        new ProcessBuilder(
                RedisServer.programOrSkip("openssl"),
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=IP:127.0.0.1",
                "-keyout",
                key.toString(),
                "-out",
                certificate.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(openssl.waitFor(OPENSSL_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(openssl.exitValue()).isZero();
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void templatesAndTheGuard_speakTls() {
    redis.opsForValue().set("key", "value");
    assertThat(redis.opsForValue().get("key")).isEqualTo("value");
    assertThat(sheaf.sync().get("key")).isEqualTo("value");
    assertThat(sheaf.availability().isAvailable()).isTrue();
  }
}
