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
        .isEqualToNormalizingNewlines("sync: Hello\nasync: Hello\nreactive: Hello, world\n");
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
        .isEqualToNormalizingNewlines("Ada, visit 1\ndeleted: 1\n");
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
            """);
  }

  @Test
  void clusterPage() throws Exception {
    assertThat(printedBy(() -> ClusterPage.main(new String[0])))
        .containsPattern("a loop of 100 gets: [1-9]\\d\\d+ ms\\R")
        .containsPattern("getAll of 100 keys: \\d+ ms\\R")
        .contains("the same values: true");
  }

  @Test
  void availabilityExample() throws Exception {
    assertThat(printedBy(() -> AvailabilityExample.main(new String[0])))
        .isEqualToNormalizingNewlines("answered: true\nexample:apple: red\nstate: UP\n");
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
