// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sheaf.benchmarks.rivals.Client;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code pages.py} makes of results. */
class PagesTest {

  private static final Path PUBLISHED = Path.of("../docs");
  private static final List<String> FILLED_IN =
      List.of(
          "../README.md",
          "../README.ko.md",
          "benchmarks/results.md",
          "benchmarks/field-reports.md",
          "guide/loops.md");
  private static final Pattern PLACE = Pattern.compile("<!-- generated: (\\w+) -->");

  @TempDir Path found;
  @TempDir Path project;

  /** The README stands beside it. */
  private Path docs;

  /** What the program said, and how it ended. */
  private record Outcome(int exit, String text) {}

  /** Pages with the places of the published ones. */
  @BeforeEach
  void makePages() throws IOException {
    assumeTrue(python("--version").exit == 0, "skipped: no python3 on the PATH");
    docs = project.resolve("docs");
    Files.createDirectories(docs.resolve("benchmarks/data"));
    Files.createDirectories(docs.resolve("guide"));
    for (String page : FILLED_IN) {
      StringBuilder text = new StringBuilder("# Page\n");
      Matcher places = PLACE.matcher(Files.readString(PUBLISHED.resolve(page)));
      while (places.find()) {
        text.append("<!-- generated: ").append(places.group(1)).append(" -->\nold\n");
        text.append("<!-- end of ").append(places.group(1)).append(" -->\nBetween.\n");
      }
      Files.writeString(docs.resolve(page), text);
    }
  }

  private static Outcome python(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("python3", "-B"));
    command.addAll(List.of(arguments));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      byte[] said = process.getInputStream().readAllBytes();
      return new Outcome(process.waitFor(), new String(said, StandardCharsets.UTF_8));
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void pages_asPublished_haveTheFiguresOfTheFiles() throws IOException {
    assertThat(python("pages.py", "verify", PUBLISHED.toString())).isEqualTo(new Outcome(0, ""));
  }

  @Test
  void verify_figureWrittenByHand_namesThePage() throws IOException {
    Results.file("1", "get-64", List.of(50.0), List.of(70.0), List.of(100.0))
        .write(docs.resolve("benchmarks/data/comparison.json"));
    publish();
    Path page = docs.resolve("benchmarks/results.md");
    Files.writeString(page, Files.readString(page).replace("100", "900"));

    Outcome outcome = python("pages.py", "verify", docs.toString());

    assertThat(outcome.exit).isEqualTo(1);
    assertThat(outcome.text).contains("benchmarks/publish: benchmarks/results.md");
  }

  @ParameterizedTest
  @CsvSource({
    "get-1, 100, 120, 130, 0, reached get-1", // Jedis is the fastest
    "get-1, 100, 140, 130, 1, MISSED  get-1",
    "get-64, 100, 400, 230, 0, reached get-64", // Lettuce alone counts
    "getall-100, 9, 10, 9, 0, reached getall-100", // a time
    "getall-100, 9, 8, 9, 1, MISSED  getall-100",
    "busy-2-8, 100, 900, 101, 0, reached busy-2-8"
  })
  void check_row_isHeldAgainstTheRightClient(
      String row, double lettuce, double jedis, double sheaf, int exit, String text)
      throws IOException {
    Path file = found.resolve("comparison.json");
    Results.file("1", row, List.of(lettuce), List.of(jedis), List.of(sheaf)).write(file);

    Outcome outcome = python("pages.py", "check", file.toString());

    assertThat(outcome.exit).isEqualTo(exit);
    assertThat(outcome.text).startsWith(text).hasLineCount(1);
  }

  @Test
  void check_rowWithoutGoal_isLeftOut() throws IOException {
    Path file = found.resolve("comparison.json");
    Results.file("1", "loop-100", List.of(1.0), List.of(1.0), List.of(1.0)).write(file);

    assertThat(python("pages.py", "check", file.toString())).isEqualTo(new Outcome(0, ""));
  }

  /** Rows, and their order on the pages, are known in two places. */
  @Test
  void rows_withoutNeighbours_areInTheOrderOfTheComparison() throws IOException {
    List<String> measured =
        Row.all(2).stream().filter(row -> row.neighbours() == 0).map(Row::name).toList();

    assertThat(python("-c", "import pages; print(' '.join(pages.ROWS))").text.strip().split(" "))
        .containsExactlyElementsOf(measured);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "rounded(93677.4)|93,677",
        "rounded(123.4)|123",
        "rounded(12.34)|12.3",
        "rounded(1.234)|1.23",
        "rounded(0.125)|0.125",
        "rounded(1.125)|1.13", // not 1.12, as Python would have it
        "rounded(0)|0.00",
        "rate(12.34)|12.3/s",
        "rate(1234)|1.2k/s",
        "rate(93677)|94k/s",
        "rate(999499)|999k/s",
        "rate(1234567)|1.23M/s"
      })
  void numbers_anySize_keepWhatCounts(String call, String text) throws IOException {
    assertThat(python("-c", "import pages; print(pages." + call + ")").text.strip())
        .isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"gets.svg, get-", "open.svg, open-"})
  void charts_asPublished_haveTheFiguresOfTheFiles(String chart, String rows) throws IOException {
    List<String> wanted = new ArrayList<>();
    for (ResultFile.Found row : rows().values()) {
      if (row.name().startsWith(rows)) {
        for (Map.Entry<Client, ResultFile.Series> each : row.clients().entrySet()) {
          double median = median(each.getValue().scores());
          wanted.add(String.format(Locale.ROOT, "%s %s: %.0f", each.getKey(), row.name(), median));
        }
      }
    }
    Path file = PUBLISHED.resolve("benchmarks").resolve(chart);

    if (wanted.isEmpty()) {
      assertThat(file).as("benchmarks/publish").doesNotExist();
    } else {
      assertThat(description(file))
          .as("benchmarks/publish")
          .containsExactlyInAnyOrderElementsOf(wanted);
    }
  }

  /** Each row of the newest file that has it. */
  private static Map<String, ResultFile.Found> rows() throws IOException {
    List<ResultFile> files = new ArrayList<>();
    try (Stream<Path> paths = Files.list(PUBLISHED.resolve("benchmarks/data"))) {
      for (Path path : paths.filter(each -> each.toString().endsWith(".json")).toList()) {
        files.add(new ObjectMapper().readValue(path.toFile(), ResultFile.class));
      }
    }
    files.sort(Comparator.comparing(file -> file.environment().get("Date")));
    Map<String, ResultFile.Found> rows = new TreeMap<>();
    for (ResultFile file : files) {
      for (ResultFile.Found row : file.rows()) {
        if (!row.clients().isEmpty()) {
          rows.put(row.name(), row);
        }
      }
    }
    return rows;
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  @Test
  void chartOfCompression_asPublished_hasTheRecordedFigures() throws IOException {
    JsonNode records =
        new ObjectMapper().readTree(PUBLISHED.resolve("benchmarks/records.json").toFile());
    List<String> wanted = new ArrayList<>();
    for (JsonNode table : records.path("tables")) {
      if (table.at("/rows/0/0").asText().equals("Algorithm")) {
        for (int i = 1; i < table.path("rows").size(); i++) {
          JsonNode row = table.at("/rows/" + i);
          wanted.add(row.path(0).asText() + " compress: " + speed(row.path(2)));
          wanted.add(row.path(0).asText() + " decompress: " + speed(row.path(3)));
        }
      }
    }

    assertThat(wanted).isNotEmpty();
    assertThat(description(PUBLISHED.resolve("images/compression.svg")))
        .as("benchmarks/publish")
        .containsExactlyElementsOf(wanted);
  }

  @Test
  void chartOfDictionaries_asPublished_hasTheFiguresOfItsFile() throws IOException {
    JsonNode file =
        new ObjectMapper()
            .readTree(PUBLISHED.resolve("benchmarks/data/shares/dictionaries.json").toFile());
    List<String> wanted = new ArrayList<>();
    for (JsonNode row : file.path("rows")) {
      String values = row.path("values").asText() + ", " + row.path("bytes") + " bytes, ";
      row.path("stored")
          .properties()
          .forEach(way -> wanted.add(values + way.getKey() + ": " + way.getValue().asText()));
    }

    assertThat(wanted).isNotEmpty();
    assertThat(description(PUBLISHED.resolve("images/dictionaries.svg")))
        .as("benchmarks/publish")
        .containsExactlyInAnyOrderElementsOf(wanted);
  }

  private static String speed(JsonNode cell) {
    return cell.asText().replace(" MB/s", "").replace(",", "");
  }

  private static List<String> description(Path chart) throws IOException {
    String text = Files.readString(chart);
    int begin = text.indexOf("<dc:description>") + "<dc:description>".length();
    return text.substring(begin, text.indexOf("</dc:description>")).lines().toList();
  }

  @Test
  void publish_twice_replacesWhatIsGeneratedAndKeepsTheRest() throws IOException {
    Path file = found.resolve("comparison.json");
    Results.file("1", "get-64", List.of(50.0, 60.0), List.of(70.0, 70.0), List.of(100.0, 140.0))
        .write(file);

    publish(file);
    publish(file);

    assertThat(docs.resolve("benchmarks/results.md"))
        .content()
        .contains("[comparison.json](data/comparison.json): commit c1", "\nBetween.\n")
        .contains("- **Faster in every round** (1): 64 threads.")
        .contains("1.71× Jedis (1.43 to 2.00)")
        .contains("Not measured.")
        .doesNotContain("old");
    assertThat(docs.resolve("benchmarks/figures.md")).content().contains("## 64 threads (get-64)");
    assertThat(project.resolve("README.md"))
        .content()
        .containsPattern("\\| +\\| Sheaf \\| Lettuce \\| +Jedis \\| Redisson \\|")
        .containsPattern("64 threads \\| 120/s \\| +55.0/s \\| +70.0/s \\| +- \\|");
  }

  @Test
  void publish_fieldReports_fillTheirPage() throws IOException {
    publish(Path.of("src/test/resources/dev/sheaf/benchmarks/compare/field-reports.json"));

    assertThat(docs.resolve("benchmarks/field-reports.md"))
        .content()
        .doesNotContain("old")
        .contains("Commit c1, 2026-01-02T03:04Z, `benchmarks/field-reports`.", "\nBetween.\n")
        .containsPattern("1,000 +\\| +1.50M/s \\| +200k/s \\| +600k/s \\| +150k/s \\| +400k/s")
        .containsPattern("250 ms +\\| +4.00/s \\| +251 ms \\| +400 ms \\| +25k/s")
        .containsPattern("all by netcat +\\| 10,000 \\| 25.0 ms \\| +20.0×")
        .containsPattern(
            "all written, then all read +\\| 100,000 \\| +1.0 MB \\| +102.0 MB \\| +98.0 MB")
        .containsPattern("a pool of 8, empty \\| 75.0 % of 20,000 \\| +750 ms \\| +16 ")
        .containsPattern("rueidis \\(Go\\) +\\| +5,000 ms \\| +80.0 ms \\| +- ")
        .containsPattern("the rest is rewritten +\\| +20.0 MB \\| +1.2 KB");
    assertThat(python("pages.py", "verify", docs.toString())).isEqualTo(new Outcome(0, ""));
  }

  @Test
  void chartsOfFieldReports_asPublished_haveTheFiguresOfTheirFile() throws IOException {
    Path file = PUBLISHED.resolve("benchmarks/data/field/field-reports.json");
    Path depth = PUBLISHED.resolve("benchmarks/field-depth.svg");
    Path rollOut = PUBLISHED.resolve("benchmarks/field-roll-out.svg");
    if (!Files.exists(file)) {
      assertThat(depth).doesNotExist();
      assertThat(rollOut).doesNotExist();
      return;
    }
    JsonNode reports = new ObjectMapper().readTree(file.toFile()).path("reports");
    List<String> moments = new ArrayList<>();
    for (JsonNode row : reports.path("rollOut")) {
      moments.add(
          "%s s: %s B, %s B a read"
              .formatted(row.path("seconds"), row.path("used"), row.path("bytes")));
    }
    List<String> rates = new ArrayList<>();
    for (JsonNode row : reports.path("redisBenchmark")) {
      double rate = Math.rint(row.path("perSecond").asDouble()); // As Python rounds a half.
      rates.add(String.format(Locale.ROOT, "redis-benchmark, %s: %.0f", row.path("depth"), rate));
    }

    assertThat(description(rollOut)).as("benchmarks/publish").containsExactlyElementsOf(moments);
    assertThat(description(depth)).as("benchmarks/publish").containsAll(rates);
  }

  @Test
  void publish_rowInTwoFiles_isOfTheNewer() throws IOException {
    Path older = found.resolve("b.json");
    Path newer = found.resolve("a.json");
    Results.file("2025", "get-64", List.of(1.0), List.of(1.0), List.of(7.0)).write(older);
    Results.file("2026", "get-64", List.of(1.0), List.of(1.0), List.of(8.0)).write(newer);

    publish(older, newer);

    assertThat(docs.resolve("benchmarks/figures.md"))
        .content()
        .contains("8.00")
        .doesNotContain("7.00");
  }

  @Test
  void publish_noPlaceForFigures_saysWhatIsMissing() throws IOException {
    Files.writeString(docs.resolve("benchmarks/results.md"), "# Results\n");

    assertThat(python("pages.py", "publish", docs.toString()).text)
        .contains("benchmarks/results.md has no place between <!-- generated: sources -->");
  }

  @Test
  void publish_trial_isRefused() throws IOException {
    Path file = found.resolve("trial.json");
    new ResultFile(Map.of("Trial", "yes"), List.of()).write(file);

    assertThat(python("pages.py", "publish", docs.toString(), file.toString()).text)
        .contains("is of a trial");
    assertThat(docs.resolve("benchmarks/data/trial.json")).doesNotExist();
  }

  private void publish(Path... files) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("pages.py", "publish", docs.toString()));
    Stream.of(files).map(Path::toString).forEach(arguments::add);
    Outcome outcome = python(arguments.toArray(String[]::new));
    assertThat(outcome.exit).as(outcome.text).isZero();
  }
}
