package dev.sheaf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of limits in the guide is that of the code. */
class BatchingGuideTest {

  private static final Pattern ROW =
      Pattern.compile("^\\| `(\\w+)` \\| (\\w+) \\|", Pattern.MULTILINE);

  @Test
  void tableOfLimits_namesEachOptionWithItsDefault() throws Exception {
    Map<String, String> expected = new LinkedHashMap<>();
    for (RecordComponent option : BatchingOptions.class.getRecordComponents()) {
      expected.put(
          option.getName(),
          String.valueOf(option.getAccessor().invoke(BatchingOptions.defaults())));
    }
    assertThat(rows(guide())).isEqualTo(expected);
  }

  @Test
  void numbersInTheText_areThoseOfTheCode() throws IOException {
    assertThat(guide())
        .contains(grouped(SheafBuilder.KEYS_PER_SLICE))
        .contains(grouped(Batch.MAX_UNSENT_COMMANDS) + " commands have")
        .contains("With " + grouped(Batch.MAX_UNANSWERED_COMMANDS));
  }

  private static String grouped(int number) {
    return String.format(java.util.Locale.ROOT, "%,d", number);
  }

  private static Map<String, String> rows(String guide) {
    Map<String, String> rows = new LinkedHashMap<>();
    Matcher matcher = ROW.matcher(guide);
    while (matcher.find()) {
      rows.put(matcher.group(1), matcher.group(2));
    }
    return rows;
  }

  private static String guide() throws IOException {
    return Files.readString(Path.of("..", "docs", "guide", "batching.md"));
  }
}
