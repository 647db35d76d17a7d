package dev.sheaf.benchmarks.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.servers.ComparisonException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublicationTest {

  private static final Path PUBLISHED = Path.of("../docs");

  @TempDir Path found;
  @TempDir Path project;

  /** The README stands beside it. */
  private Path docs;

  @BeforeEach
  void makePages() throws IOException {
    docs = project.resolve("docs");
    Files.createDirectories(docs.resolve("benchmarks/data"));
    Files.createDirectories(docs.resolve("guide"));
    for (Map.Entry<String, List<String>> page : Publication.PLACES.entrySet()) {
      StringBuilder text = new StringBuilder("# Page\n");
      for (String place : page.getValue()) {
        text.append("<!-- generated: ").append(place).append(" -->\nold\n");
        text.append("<!-- end of ").append(place).append(" -->\nBetween.\n");
      }
      Files.writeString(docs.resolve(page.getKey()), text);
    }
  }

  @Test
  void pages_asPublished_haveTheFiguresOfTheFiles() throws IOException {
    Publication publication = new Publication(PUBLISHED);
    for (String page : Publication.PLACES.keySet()) {
      assertThat(publication.filledIn(page))
          .as("benchmarks/publish")
          .isEqualTo(Files.readString(PUBLISHED.resolve(page)));
    }
    assertThat(publication.figures())
        .as("benchmarks/publish")
        .isEqualTo(Files.readString(PUBLISHED.resolve(Publication.FIGURES)));
  }

  @ParameterizedTest
  @CsvSource({"gets.svg, get-", "open.svg, open-"})
  void charts_asPublished_haveTheFiguresOfTheFiles(String chart, String rows) throws IOException {
    List<String> wanted = new ArrayList<>();
    for (ResultFile.Found row : new Publication(PUBLISHED).rows()) {
      if (row.name().startsWith(rows)) {
        for (Map.Entry<Client, ResultFile.Series> each : row.clients().entrySet()) {
          double median = each.getValue().spread().median();
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
    assertThat(docs.resolve(Publication.FIGURES)).content().contains("## 64 threads (get-64)");
    assertThat(project.resolve("README.md"))
        .content()
        .containsPattern("\\| +\\| Sheaf \\| Lettuce \\| +Jedis \\| Redisson \\|")
        .containsPattern("64 threads \\| 120/s \\| +55.0/s \\| +70.0/s \\| +- \\|");
  }

  @Test
  void publish_rowInTwoFiles_isOfTheNewer() throws IOException {
    Path older = found.resolve("b.json");
    Path newer = found.resolve("a.json");
    Results.file("2025", "get-64", List.of(1.0), List.of(1.0), List.of(7.0)).write(older);
    Results.file("2026", "get-64", List.of(1.0), List.of(1.0), List.of(8.0)).write(newer);

    publish(older, newer);

    assertThat(docs.resolve(Publication.FIGURES)).content().contains("8.00").doesNotContain("7.00");
  }

  @Test
  void publish_noPlaceForFigures_saysWhatIsMissing() throws IOException {
    Files.writeString(docs.resolve("benchmarks/results.md"), "# Results\n");

    assertThatThrownBy(this::publish)
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("<!-- generated: sources -->");
  }

  @Test
  void publish_trial_isRefused() {
    Path file = found.resolve("trial.json");
    new ResultFile(Map.of("Trial", "yes"), List.of()).write(file);

    assertThatThrownBy(() -> publish(file))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("is of a trial");
  }

  private void publish(Path... files) {
    PrintStream silent =
        new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
    new Publication(docs).publish(List.of(files), silent);
  }
}
