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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicationTest {

  private static final Path PUBLISHED = Path.of("../docs");

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

  @BeforeEach
  void makePages() throws IOException {
    Files.createDirectories(docs.resolve("benchmarks"));
    Files.createDirectories(docs.resolve("guide"));
    Files.writeString(docs.resolve("benchmarks/results.md"), PAGE);
    Files.writeString(
        docs.resolve("guide/loops.md"), "<!-- generated: loops -->\n<!-- end of loops -->\n");
  }

  @Test
  void pages_asPublished_haveTheFiguresOfTheFiles() throws IOException {
    for (String page : Publication.PLACES.keySet()) {
      assertThat(new Publication(PUBLISHED).filledIn(page))
          .as("java -jar benchmarks/target/benchmarks.jar publish docs")
          .isEqualTo(Files.readString(PUBLISHED.resolve(page)));
    }
  }

  @Test
  void figures_asPublished_areThoseOfTheFiles() throws IOException {
    Map<String, String> plots = new LinkedHashMap<>();
    List<ResultFile> files = List.copyOf(new Publication(PUBLISHED).files().values());

    assertThat(Files.readString(PUBLISHED.resolve("benchmarks/figures.md")))
        .as("java -jar benchmarks/target/benchmarks.jar publish docs")
        .isEqualTo(new Report(files).markdown("figures", plots));
    assertThat(plots)
        .allSatisfy(
            (name, plot) ->
                assertThat(PUBLISHED.resolve("benchmarks").resolve(name))
                    .content()
                    .isEqualTo(plot));
  }

  @Test
  void publish_twice_replacesWhatIsGeneratedAndKeepsTheRest() throws IOException {
    Files.writeString(docs.resolve("benchmarks/figures-old.svg"), "old");
    ReportTest.file("A", "0", 100_000, 150_000).write(found.resolve("targets.json"));

    publish();
    publish();

    assertThat(docs.resolve("benchmarks/results.md"))
        .content()
        .contains(
            "[targets.json](data/targets.json): commit A", "1.50× (one round)", "\nBetween.\n")
        .contains("| LETTUCE | 100,000 |")
        .doesNotContain("old");
    assertThat(docs.resolve("benchmarks/figures.md")).content().contains("- Commit: A");
    assertThat(docs.resolve("benchmarks/figures-old.svg")).doesNotExist();
  }

  @Test
  void publish_noPlaceForFigures_saysWhatIsMissing() throws IOException {
    Files.writeString(docs.resolve("benchmarks/results.md"), "# Results\n");
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
