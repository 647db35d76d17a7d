// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Clients of other languages do their daily work, standalone and in a cluster, in RESP2 and RESP3.
 * Each is skipped, with the reason printed, where it is not there: {@code .ci/clients} fetches
 * both, compiles the program in Go, and prints the options to give.
 */
class OtherClientsIT {
  private static final Path PROGRAMS = Path.of("src", "test", "resources", "clients");

  private static String run(String... command) throws Exception {
    Path output = Files.createTempFile("client", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(120, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
        throw new IOException(
            String.join(" ", command) + " did not end within 120 s: " + Files.readString(output));
      }
      return Files.readString(output);
    } finally {
      Files.delete(output);
    }
  }

  /**
   * A path that .ci/clients has made, by the property that names it. Without it the test is
   * skipped, or fails with {@code -Dsheaf.requireClients=true}.
   */
  private static Path made(String property) {
    String path = System.getProperty(property);
    String reason = "-D" + property + " is not given; .ci/clients makes what it names";
    if (path == null) {
      assertThat(Boolean.getBoolean("sheaf.requireClients")).as(reason).isFalse();
      System.out.println("skipped: " + reason);
      Assumptions.abort(reason);
    }
    assertThat(Path.of(path)).as("-D" + property).exists();
    return Path.of(path);
  }

  @Test
  void redisPy_worksStandaloneAndInACluster() throws Exception {
    Path modules = made("sheaf.clients.python");
    try (EmbeddedServer single = EmbeddedServer.start();
        EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start()) {
      assertThat(
              run(
                  "env",
                  "PYTHONPATH=" + modules,
                  "python3",
                  PROGRAMS.resolve("redis_py.py").toString(),
                  "" + single.port(),
                  "" + cluster.port()))
          .contains("OK ");
    }
  }

  @Test
  void goRedis_worksStandaloneAndInACluster() throws Exception {
    Path program = made("sheaf.clients.go");
    try (EmbeddedServer single = EmbeddedServer.start();
        EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start()) {
      assertThat(run(program.toString(), "" + single.port(), "" + cluster.port()))
          .endsWith("\n")
          .contains("OK");
    }
  }
}
