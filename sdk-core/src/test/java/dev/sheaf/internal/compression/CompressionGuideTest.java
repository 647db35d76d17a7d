package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.compression.CompressionPolicy;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The tables of the guide are those of the code. */
class CompressionGuideTest {

  @Test
  void tableOfOptions_namesEachLimitWithItsDefault() throws IOException {
    CompressionOptions defaults = CompressionOptions.defaults();
    assertThat(guide())
        .contains("| `learning` | " + defaults.learning() + " |")
        .contains("| `maxValueBytes` | " + defaults.maxValueBytes() + " |")
        .contains("| `maxReplyBytes` | " + defaults.maxReplyBytes() + " |")
        .contains("| `offLoopBytes` | " + defaults.offLoopBytes() + " |")
        .contains("| `decodeThreads` | " + defaults.decodeThreads() + " |")
        .contains("above " + (DecodeThreads.MAX_WAITING_BYTES >> 20) + " MiB")
        .contains("`minBytes` (" + CompressionPolicy.DEFAULT_MIN_BYTES + ")")
        .contains("`minGain` (" + CompressionPolicy.DEFAULT_MIN_GAIN + ")")
        .contains("Where " + LearnedSkips.FAILURES_TO_SKIP + " values in a row")
        .contains("one in " + LearnedSkips.PROBE_INTERVAL)
        .contains(Envelope.HEADER_BYTES + " bytes in front");
  }

  @Test
  void tableOfValues_hasEveryCommandWithValues() throws IOException {
    assertThat(guide()).contains(valueRows());
  }

  @Test
  void tableOfRefusals_hasEveryRefusedCommand() throws IOException {
    assertThat(guide()).contains(refusedRows());
  }

  @Test
  void tableOfTheRest_hasEveryOtherCommand() throws IOException {
    assertThat(guide()).contains(untouchedRows());
  }

  @Test
  void tableOfMeters_namesEachMeter() throws IOException {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    CompressionEngine engine =
        new CompressionEngine(CompressionOptions.defaults(), registry, "test");
    engine.values().compress(new byte[] {'k'}, new byte[10_000]);
    engine.close();
    TreeSet<String> names =
        registry.getMeters().stream()
            .map(Meter::getId)
            .map(Meter.Id::getName)
            .collect(Collectors.toCollection(TreeSet::new));
    TreeSet<String> documented =
        guide()
            .lines()
            .filter(line -> line.startsWith("| `sheaf.compression"))
            .map(line -> line.split("`")[1])
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(documented).isEqualTo(names);
  }

  @Test
  void plotOfAlgorithms_isOfTheSameRunAsTheTable() throws IOException {
    String plot =
        Files.readString(Path.of("..", "docs", "images", "compression.svg")).replace(",", "");
    List<String> rows = guide().lines().filter(line -> line.contains("MB/s |")).toList();
    assertThat(rows).hasSize(7);
    for (String row : rows) {
      String[] cells = row.replace(",", "").split(" *\\| *");
      assertThat(plot)
          .contains(
              cells[1] + " compress: " + cells[3].replace(" MB/s", ""),
              cells[1] + " decompress: " + cells[4].replace(" MB/s", ""));
    }
  }

  /** Commands of one kind share a row. */
  private static String valueRows() {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (CommandRule rule : CommandTable.rules()) {
      if (!rule.isUntouched() && rule.refusal() == Refusal.NONE) {
        rows.computeIfAbsent(
                rule.arguments().text() + " | " + rule.reply().text(), key -> new ArrayList<>())
            .add(rule.name());
      }
    }
    return rows.entrySet().stream()
        .map(row -> "| " + String.join(", ", row.getValue()) + " | " + row.getKey() + " |")
        .collect(Collectors.joining("\n"));
  }

  private static String refusedRows() {
    return grouped(
        CommandTable.rules().stream().filter(rule -> rule.refusal() != Refusal.NONE).toList());
  }

  private static String untouchedRows() {
    return grouped(CommandTable.rules().stream().filter(CommandRule::isUntouched).toList());
  }

  private static String grouped(List<CommandRule> rules) {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (CommandRule rule : rules) {
      rows.computeIfAbsent(rule.reason(), key -> new ArrayList<>()).add(rule.name());
    }
    return rows.entrySet().stream()
        .map(row -> "| " + String.join(", ", row.getValue()) + " | " + row.getKey() + " |")
        .collect(Collectors.joining("\n"));
  }

  private static String guide() throws IOException {
    return Files.readString(Path.of("..", "docs", "guide", "compression.md"));
  }
}
