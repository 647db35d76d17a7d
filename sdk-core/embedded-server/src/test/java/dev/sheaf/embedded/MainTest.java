// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) throws InterruptedException {
    return Main.run(
        List.of(args),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  @Test
  void help_namesEveryOption() throws Exception {
    assertThat(run("--help")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "--port",
            "--cluster",
            "--unixsocket",
            "--password",
            "--version",
            "--latency",
            "--help");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--foo|unknown option --foo",
        "--port|--port needs a value",
        "--port abc|--port needs a number: abc",
        "--port 70000|port must be 0 to 65535: 70000",
        "--cluster 3|--cluster needs masters x replicas, as 3x1: 3",
        "--cluster 0x1|a cluster needs 1 to 16384 masters",
        "--version 7.0|there is no version 7.0, only [redis-7.0, redis-7.4, redis-8.0, valkey-8.1]",
        "--latency 5|--latency needs a time, as 1ms or 500us: 5",
        "--cluster 3x0 --unixsocket s|--unixsocket is for a standalone server"
      })
  void wrongOption_isNamed_andStatusIs2(String line, String message) throws Exception {
    assertThat(run(line.split(" "))).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(message).contains("--help");
  }

  @Test
  void portInUse_isNamed_andStatusIs1() throws Exception {
    try (EmbeddedServer server = EmbeddedServer.start()) {
      assertThat(run("--port", "" + server.port())).isEqualTo(1);
      assertThat(err.toString(StandardCharsets.UTF_8))
          .contains("cannot start: ")
          .contains("" + server.port());
    }
  }
}
