// SPDX-License-Identifier: Apache-2.0
package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** The numbers in the text of the guide are those of the code. */
class BatchingGuideTest {

  @Test
  void numbersInTheText_areThoseOfTheCode() throws IOException {
    assertThat(guide())
        .contains(grouped(SheafBuilder.KEYS_PER_SLICE))
        .contains(grouped(Batch.MAX_UNSENT_COMMANDS) + " commands have")
        .contains("With " + grouped(Batch.MAX_UNANSWERED_COMMANDS))
        .contains("at most " + (SheafBuilder.BYTES_PER_SLICE >> 20) + " MiB of requests")
        .contains(
            SheafBuilder.MIN_TTL.toMillis()
                + " ms to "
                + grouped((int) SheafBuilder.MAX_TTL.toDays())
                + " days");
  }

  private static String grouped(int number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String guide() throws IOException {
    return Files.readString(Path.of("..", "docs", "guide", "batching.md"));
  }
}
