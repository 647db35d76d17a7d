// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ExamplesTest {

  @Test
  void plainClient() throws Exception {
    assertThat(printedBy(() -> PlainClient.main(new String[0])))
        .isEqualToNormalizingNewlines(
            "sync: Hello\nasync: Hello\nreactive: Hello, world\n"
                + "refused: ERR value is not an integer or out of range\n");
  }

  @Test
  void manyKeys() throws Exception {
    assertThat(printedBy(() -> ManyKeys.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            example:apple: red
            example:banana: absent
            example:basket: failed, WRONGTYPE Operation against a key holding the wrong kind of value
            """);
  }

  @Test
  void batchExample() throws Exception {
    assertThat(printedBy(() -> BatchExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            "Ada, visit 1\ndeleted: 1\nvisit 2\n"
                + "failed: WRONGTYPE Operation against a key holding the wrong kind of value\n");
  }

  @Test
  void scriptExample() throws Exception {
    assertThat(printedBy(() -> ScriptExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            cart 1: 2 articles
            all carts: 3000 articles
            after another client flushed the scripts: 3
            changed by comparing: true, then: false
            failed on the server: true
            """);
  }

  @Test
  void clusterPage() throws Exception {
    assertThat(printedBy(() -> ClusterPage.main(new String[0])))
        .containsPattern("a loop of 100 gets: [1-9]\\d\\d+ ms\\R")
        .containsPattern("getAll of 100 keys: \\d+ ms\\R")
        .contains(
            "the same values: true",
            "example:item:0: WRONGTYPE Operation against a key holding the wrong kind of value");
  }

  @Test
  void availabilityExample() throws Exception {
    assertThat(printedBy(() -> AvailabilityExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            answered: true
            example:apple: red
            state: UP
            Redis is DOWN
            heard of it: true
            asked again: false
            """);
  }

  @Test
  void readThroughExample() throws Exception {
    assertThat(printedBy(() -> ReadThroughExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            loading example:apple
            red
            example:apple: red
            example:banana: yellow
            loading example:apple
            red
            """);
  }

  @Test
  void compressionExample() throws Exception {
    assertThat(printedBy(() -> CompressionExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            the same value: true
            snappy: 3214 bytes, stored in a tenth: true
            refused: APPEND
            """);
  }

  @Test
  void loopExample() throws Exception {
    assertThat(printedBy(() -> LoopExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            read ahead: 100
            with a price: 0
            failed: WRONGTYPE Operation against a key holding the wrong kind of value
            found: EXISTS in LoopExample.main
            """);
  }

  @Test
  void scatterExample() throws Exception {
    assertThat(printedBy(() -> ScatterExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            waiting in all queues: 6000
            slices that failed: 1, of the others known: true
            """);
  }

  @Test
  void migrationExample() throws Exception {
    assertThat(printedBy(() -> MigrationExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            """
            would change: 2
            changed: 2
            snappy, in a tenth of the bytes: true
            the same value: true
            unreadable: CHECKSUM
            """);
  }

  @Test
  void metricsExample() throws Exception {
    assertThat(printedBy(() -> MetricsExample.main(new String[0])))
        .isEqualToNormalizingNewlines(
            "all were counted: true\nseveral in a write: true\nrefused: 1\n");
  }

  private interface Program {
    void run() throws Exception;
  }

  private static String printedBy(Program program) throws Exception {
    PrintStream former = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      program.run();
    } finally {
      System.setOut(former);
    }
    return printed.toString(StandardCharsets.UTF_8);
  }
}
