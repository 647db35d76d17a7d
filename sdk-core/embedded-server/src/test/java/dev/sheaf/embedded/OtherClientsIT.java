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
 * Each is skipped where its tools are not installed. The one in Go fetches modules and compiles, so
 * it runs only with {@code -Dsheaf.clients.go=true}.
 */
class OtherClientsIT {
  private static final Path PROGRAMS = Path.of("src", "test", "resources", "clients");

  private static String run(Path folder, String... command) throws Exception {
    Path output = Files.createTempFile("client", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(folder.toFile())
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

  private static void skipUnless(boolean there, String reason) {
    if (!there) {
      System.out.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(there, reason);
  }

  @Test
  void redisPy_worksStandaloneAndInACluster() throws Exception {
    RedisProcess.require("python3");
    String found = run(PROGRAMS, "python3", "-c", "import redis; print(redis.__version__)");
    skipUnless(found.matches("[0-9.]+\\s+"), "python3 has no module redis");
    try (EmbeddedServer single = EmbeddedServer.start();
        EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start()) {
      assertThat(run(PROGRAMS, "python3", "redis_py.py", "" + single.port(), "" + cluster.port()))
          .contains("OK ");
    }
  }

  @Test
  void goRedis_worksStandaloneAndInACluster() throws Exception {
    RedisProcess.require("go");
    skipUnless(Boolean.getBoolean("sheaf.clients.go"), "-Dsheaf.clients.go=true is not given");
    try (EmbeddedServer single = EmbeddedServer.start();
        EmbeddedServer cluster = EmbeddedServer.builder().cluster(3, 0).start()) {
      assertThat(
              run(
                  PROGRAMS.resolve("go"),
                  "go",
                  "run",
                  "-mod=mod",
                  ".",
                  "" + single.port(),
                  "" + cluster.port()))
          .endsWith("\n")
          .contains("OK");
    }
  }
}
