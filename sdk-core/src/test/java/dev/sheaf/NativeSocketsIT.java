// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.sheaf.testkit.Certificates;
import dev.sheaf.testkit.ForkedJvm;
import dev.sheaf.testkit.RealRedis;
import dev.sheaf.testkit.RespConnection;
import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS over Linux' own sockets, in a JVM of its own, with a redis-server. */
class NativeSocketsIT {

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** What is logged once where waiting threads cannot drive the event loop. */
  private static final String PARKING = "park instead of driving the event loop";

  @TempDir Path directory;

  @Test
  void epoll_carriesTls() throws Exception {
    String output = speakTls("-Dio.lettuce.core.epoll=true");
    assertThat(MachineProgram.said(output)).containsEntry("epoll", 1L);
    assertThat(output).doesNotContain(PARKING);
  }

  @Test
  void ioUring_carriesTls() throws Exception {
    assumeTrue(IoUring.isAvailable(), MachineProgram::withoutIoUring);
    String output = speakTls("-Dio.lettuce.core.iouring=true");
    assertThat(MachineProgram.said(output)).containsEntry("ioUring", 1L);
    assertThat(output).containsOnlyOnce(PARKING);
  }

  private String speakTls(String option) throws Exception {
    RealRedis.require();
    Certificates certificates = new Certificates(directory);
    certificates.authority("authority");
    certificates.certificate("server", "authority");
    int port = freePort();
    try (RealRedis server =
            RealRedis.builder()
                .config(
                    "tls-port " + port,
                    "tls-cert-file " + certificates.file("server.crt"),
                    "tls-key-file " + certificates.file("server.key"),
                    "tls-ca-cert-file " + certificates.file("authority.crt"),
                    "tls-auth-clients no")
                .start();
        RespConnection admin = RespConnection.open("127.0.0.1", server.port())) {
      String output =
          new ForkedJvm(PATIENCE)
              .options(option)
              .run(MachineProgram.class, "rediss://127.0.0.1:" + port + "?verifyPeer=NONE");
      assertThat(admin.call("INFO", "commandstats").toString()).contains("cmdstat_mget:");
      return output;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
