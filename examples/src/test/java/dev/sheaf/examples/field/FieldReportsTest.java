// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.field;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.embedded.EmbeddedServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class FieldReportsTest {

  @Test
  void run_inShort_printsEveryReport() throws Exception {
    PrintStream former = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (EmbeddedServer server = EmbeddedServer.start();
        FieldReports reports = new FieldReports(server.uri(), 100)) {
      reports.run();
    } finally {
      System.setOut(former);
    }

    assertThat(
            printed
                .toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceFirst(",.*|}$", ""))
                .distinct())
        .contains(
            "{\"report\":\"depth\"",
            "{\"report\":\"distance\"",
            "{\"report\":\"storm\"",
            "{\"mark\":\"Sheaf",
            "{\"report\":\"sizes\"",
            "{\"mark\":\"migration\"",
            "{\"mark\":\"after\"");
  }
}
