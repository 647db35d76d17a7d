// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.internal.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.compression.CompressionPolicy;
import dev.sheaf.internal.command.CommandTraits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of commands, and the numbers in the guide, are those of the code. */
class CompressionGuideTest {

  @Test
  void numbersInTheText_areThoseOfTheCode() throws IOException {
    assertThat(page("guide/compression.md"))
        .contains("`minBytes` (" + CompressionPolicy.DEFAULT_MIN_BYTES + ")")
        .contains("`minGain` (" + CompressionPolicy.DEFAULT_MIN_GAIN + ")")
        .contains("above " + (DecodeThreads.MAX_WAITING_BYTES >> 20) + " MiB")
        .contains("header of " + Envelope.HEADER_BYTES + " bytes");
  }

  @Test
  void tableOfValues_hasEveryCommandWithValues() throws IOException {
    assertThat(page("reference/compression-commands.md")).contains(valueRows());
  }

  @Test
  void tableOfRefusals_hasEveryRefusedCommand() throws IOException {
    assertThat(page("reference/compression-commands.md")).contains(refusedRows());
  }

  /** So whether a new command has values is decided, and written down. */
  @Test
  void tableOfTheRest_hasEveryOtherCommand() throws IOException {
    String page = page("reference/compression-commands.md");
    List<String> listed =
        page.substring(page.indexOf("| Commands | Because |"))
            .lines()
            .skip(2)
            .takeWhile(line -> line.startsWith("| "))
            .flatMap(row -> Stream.of(row.split("\\|")[1].trim().split(", ")))
            .toList();
    assertThat(listed)
        .containsExactlyInAnyOrderElementsOf(
            rules().stream()
                .filter(CompressionGuideTest::isUntouched)
                .map(CommandRule::name)
                .toList());
  }

  @Test
  void plotOfAlgorithms_isOfTheSameRunAsTheTable() throws IOException {
    String plot =
        Files.readString(Path.of("..", "docs", "images", "compression.svg")).replace(",", "");
    List<String> rows =
        page("benchmarks/compression.md").lines().filter(line -> line.contains("MB/s |")).toList();
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
    for (CommandRule rule : rules()) {
      if (!isUntouched(rule) && rule.refusal() == Refusal.NONE) {
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
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (CommandRule rule : rules()) {
      if (rule.refusal() != Refusal.NONE) {
        rows.computeIfAbsent(rule.reason(), key -> new ArrayList<>()).add(rule.name());
      }
    }
    return rows.entrySet().stream()
        .map(row -> "| " + String.join(", ", row.getValue()) + " | " + row.getKey() + " |")
        .collect(Collectors.joining("\n"));
  }

  private static List<CommandRule> rules() {
    return CommandTraits.all().stream()
        .filter(row -> !row.name().contains("|"))
        .map(CommandRule::of)
        .toList();
  }

  private static boolean isUntouched(CommandRule rule) {
    return rule.leavesRequests() && rule.reply() == ReplyShape.NONE;
  }

  private static String page(String name) throws IOException {
    return Files.readString(Path.of("..", "docs").resolve(name));
  }
}
