// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Measured figures on the pages come from files: tables are generated (the benchmarks' own tests
 * compare them), or they are what {@code docs/benchmarks/records.json} says that a command printed
 * on a commit, day and machine.
 */
class FiguresTest {

  private static final String RECORDS = "docs/benchmarks/records.json";

  /** Where users read. Decisions say what was known when. */
  private static final List<String> PAGES =
      List.of(
          "README",
          "docs/guide/",
          "docs/start/",
          "docs/operate/",
          "docs/why",
          "docs/migrate/",
          "docs/benchmarks/availability",
          "docs/benchmarks/compression",
          "docs/benchmarks/scripts");

  private static final Pattern GENERATED =
      Pattern.compile("(?s)<!-- generated: (\\w+) -->.*?<!-- end of \\1 -->");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```");
  private static final Pattern FIGURE =
      Pattern.compile(
          "[+-]?\\d[\\d.,]*( ?(µs|ms|ns|s|KB|MB/s|k/s|%)(?!\\w).*| of .*| \\([\\d.,]+ to .*|)");

  /** A speed or a gain in prose: 3.5 times, 40×, 120k/s, 24 ns. */
  private static final Pattern CLAIM =
      Pattern.compile("\\d[\\d.,]*(×| times\\b|배| ?k/s| ?ns\\b| ?µs\\b| MB/s)");

  /** From so many cells with a figure on, a table is one of figures. */
  private static final int LEAST_FIGURES = 3;

  @Test
  void tablesOfFigures_areGeneratedOrRecorded() throws IOException {
    Set<String> recorded = new LinkedHashSet<>();
    for (JsonNode table : records("tables")) {
      recorded.add(table.at("/page").asText() + "\n" + cells(table.at("/rows")));
    }
    Set<String> shown = new LinkedHashSet<>();
    for (Path page : pages()) {
      for (List<List<String>> table : tables(withoutGenerated(page))) {
        if (isOfFigures(table)) {
          shown.add(name(page) + "\n" + table);
        }
      }
    }
    assertThat(shown).as(RECORDS).containsExactlyInAnyOrderElementsOf(recorded);
  }

  @Test
  void claimsInProse_areRecorded() throws IOException {
    Set<String> recorded = new LinkedHashSet<>();
    for (JsonNode claim : records("claims")) {
      recorded.add(claim.at("/page").asText() + ": " + claim.at("/text").asText());
    }
    Set<String> shown = new LinkedHashSet<>();
    for (Path page : pages()) {
      String prose =
          FENCED
              .matcher(withoutGenerated(page))
              .replaceAll("")
              .lines()
              .filter(line -> !line.startsWith("|"))
              .collect(Collectors.joining("\n"));
      CLAIM.matcher(prose).results().forEach(found -> shown.add(name(page) + ": " + found.group()));
    }
    assertThat(shown).as(RECORDS).containsExactlyInAnyOrderElementsOf(recorded);
  }

  @Test
  void records_sayWhereTheyComeFrom() throws IOException {
    List<JsonNode> all = new ArrayList<>(records("tables"));
    all.addAll(records("claims"));
    all.addAll(records("paragraphs"));
    assertThat(all)
        .isNotEmpty()
        .allSatisfy(
            record ->
                assertThat(List.of("page", "commit", "date", "machine", "command"))
                    .allSatisfy(fact -> assertThat(record.path(fact).asText()).isNotBlank()));
  }

  @Test
  void results_outsideOfGeneratedTables_haveNoFigures() throws IOException {
    String prose =
        withoutRecorded(withoutGenerated(Pages.ROOT.resolve("docs/benchmarks/results.md")));

    assertThat(CLAIM.matcher(prose).results().map(found -> found.group())).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    return Pages.all().stream()
        .filter(page -> PAGES.stream().anyMatch(begin -> name(page).startsWith(begin)))
        .toList();
  }

  private static String name(Path page) {
    return Pages.ROOT.relativize(page).toString();
  }

  private static String withoutGenerated(Path page) throws IOException {
    return GENERATED.matcher(Files.readString(page)).replaceAll("");
  }

  /** Without the paragraphs that have a record. */
  private static String withoutRecorded(String text) throws IOException {
    String rest = text;
    for (JsonNode paragraph : records("paragraphs")) {
      String recorded = paragraph.at("/text").asText();
      String flat = rest.replaceAll("\\s+", " ");
      assertThat(flat).as(RECORDS).contains(recorded);
      rest = flat.replace(recorded, "");
    }
    return rest;
  }

  private static List<JsonNode> records(String kind) throws IOException {
    List<JsonNode> records = new ArrayList<>();
    new ObjectMapper().readTree(Pages.read(RECORDS)).path(kind).forEach(records::add);
    return records;
  }

  private static List<List<String>> cells(JsonNode rows) {
    List<List<String>> cells = new ArrayList<>();
    for (JsonNode row : rows) {
      List<String> line = new ArrayList<>();
      row.forEach(cell -> line.add(cell.asText()));
      cells.add(line);
    }
    return cells;
  }

  /** The tables of a page, each as the cells of its rows, headings first. */
  private static List<List<List<String>>> tables(String text) {
    List<List<List<String>>> tables = new ArrayList<>();
    List<List<String>> table = new ArrayList<>();
    for (String line : (text + "\n\n").split("\n", -1)) {
      if (line.strip().startsWith("|")) {
        String row = line.strip();
        List<String> cells =
            Arrays.stream(row.substring(1, row.lastIndexOf('|')).split("(?<!\\\\)\\|", -1))
                .map(String::strip)
                .toList();
        if (!cells.get(0).matches(":?-+:?")) {
          table.add(cells);
        }
      } else if (!table.isEmpty()) {
        tables.add(table);
        table = new ArrayList<>();
      }
    }
    return tables;
  }

  /** Tables of options and the like begin with code in each row, and tell limits. */
  private static boolean isOfFigures(List<List<String>> table) {
    List<List<String>> body = table.subList(1, table.size());
    boolean reference = body.stream().allMatch(row -> row.get(0).startsWith("`"));
    long figures =
        body.stream()
            .flatMap(row -> row.stream().skip(1))
            .filter(cell -> FIGURE.matcher(cell).matches())
            .count();
    return !reference && figures >= LEAST_FIGURES;
  }
}
