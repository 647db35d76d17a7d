package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicationTest {

  private static final Path PUBLISHED = Path.of("../docs/benchmarks");

  private static final String PAGE =
      """
      # Results

      <!-- generated: targets -->
      old
      <!-- end of targets -->

      Between.

      <!-- generated: costs -->
      <!-- end of costs -->
      """;

  @TempDir Path found;
  @TempDir Path docs;

  @Test
  void results_asPublished_haveTheFiguresOfTheFiles() throws IOException {
    String page = Files.readString(PUBLISHED.resolve("results.md"));

    assertThat(new Publication(PUBLISHED).filledIn(page))
        .as("java -jar benchmarks/target/benchmarks.jar publish docs/benchmarks")
        .isEqualTo(page);
  }

  @Test
  void figures_asPublished_areThoseOfTheFiles() throws IOException {
    Map<String, String> plots = new LinkedHashMap<>();
    List<ResultFile> files = List.copyOf(new Publication(PUBLISHED).files().values());

    assertThat(Files.readString(PUBLISHED.resolve("figures.md")))
        .as("java -jar benchmarks/target/benchmarks.jar publish docs/benchmarks")
        .isEqualTo(new Report(files).markdown("figures", plots));
    assertThat(plots)
        .allSatisfy((name, plot) -> assertThat(PUBLISHED.resolve(name)).content().isEqualTo(plot));
  }

  @Test
  void publish_twice_replacesWhatIsGeneratedAndKeepsTheRest() throws IOException {
    Files.writeString(docs.resolve("results.md"), PAGE);
    Files.writeString(docs.resolve("figures-old.svg"), "old");
    ReportTest.file("A", "0", 100_000, 150_000).write(found.resolve("targets.json"));

    publish();
    publish();

    assertThat(docs.resolve("results.md"))
        .content()
        .contains(
            "[targets.json](data/targets.json): commit A", "1.50× (one round)", "\nBetween.\n")
        .contains("| LETTUCE | 100,000 |")
        .doesNotContain("old");
    assertThat(docs.resolve("figures.md")).content().contains("- Commit: A");
    assertThat(docs.resolve("figures-old.svg")).doesNotExist();
  }

  @Test
  void publish_noPlaceForFigures_saysWhatIsMissing() throws IOException {
    Files.writeString(docs.resolve("results.md"), "# Results\n");
    ReportTest.file("A", "0", 1, 1).write(found.resolve("targets.json"));

    assertThatThrownBy(this::publish)
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("<!-- generated: targets -->");
  }

  private void publish() {
    PrintStream silent =
        new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
    new Publication(docs).publish(found, silent);
  }
}
