package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  @TempDir Path directory;

  @Test
  void markdown_twoRivals_alignedTableOfTheFiguresThatThereAre() {
    String page = page(file("A", "0", 100_000, 150_000));

    assertThat(page)
        .contains(
            """
            | rival   |   ops/s | ratio |   from, to | commands | client CPU us |
            |:--------|--------:|------:|-----------:|---------:|--------------:|
            | LETTUCE | 100,000 |  1.00 | 1.00, 1.00 |     1.00 |             - |
            | SHEAF   | 150,000 |  1.50 | 1.50, 1.50 |        - |          5.58 |
            """);
  }

  @Test
  void markdown_targetAmongTheQuestions_saysWhetherItIsReached() {
    assertThat(page(file("A", "0", 100_000, 150_000)))
        .contains("≥ 2.7×", "1.50× (one round)", "**no**, 44 % short");
  }

  @Test
  void markdown_busyMachine_warnsAndQuietOneDoesNot() {
    String busy = Integer.toString(64 * Runtime.getRuntime().availableProcessors());

    assertThat(page(file("A", busy, 1, 1))).contains("machine was busy");
    assertThat(page(file("A", "0.10", 1, 1))).doesNotContain("busy");
    assertThat(page(file("A", "unknown", 1, 1))).doesNotContain("busy");
  }

  @Test
  void markdown_runsOfOneCommit_roundsAreOneSeries() {
    String page = page(file("A", "0", 100, 200), file("A", "0", 100, 400));

    assertThat(page).contains("| SHEAF   |   300 |  3.00 | 2.00, 4.00 |");
    assertThat(page.split("## some JVM")).hasSize(2);
  }

  @Test
  void markdown_runsOfDifferentCommits_stayApart() {
    String page = page(file("A", "0", 100, 200), file("B", "0", 100, 400));

    assertThat(page.split("## some JVM")).hasSize(3);
    assertThat(page).contains("- Commit: A\n").contains("- Commit: B\n");
  }

  @Test
  void write_severalThreads_drawsThem() throws IOException {
    ResultFile one = file("A", "0", 100_000, 150_000);
    ResultFile.Asked asked = one.questions().get(0);
    ResultFile two =
        new ResultFile(
            one.environment(),
            List.of(
                asked,
                new ResultFile.Asked(
                    "blocking-standalone-1", "alone", asked.timing(), asked.answers())));

    new Report(List.of(two)).write(directory, "results");

    assertThat(directory.resolve("results.md"))
        .content()
        .contains("](results-threads-standalone.svg)");
    assertThat(directory.resolve("results-threads-standalone.svg"))
        .content()
        .startsWith("<svg")
        .endsWith("</svg>\n")
        .contains("SHEAF: 1 150,000 64 150,000");
  }

  @Test
  void markdown_severalSizesOfValues_drawsThemAndLeavesOutTheMix() {
    ResultFile one = file("A", "0", 100_000, 150_000);
    Map<String, String> plots = new LinkedHashMap<>();
    List<ResultFile.Asked> asked =
        Stream.of("value-size-kb10", "value-size-b100", "value-size-mix")
            .map(name -> new ResultFile.Asked(name, name, "1 s", one.questions().get(0).answers()))
            .toList();

    new Report(List.of(new ResultFile(one.environment(), asked))).markdown("results", plots);

    assertThat(plots).containsOnlyKeys("results-value-sizes.svg");
    assertThat(plots.get("results-value-sizes.svg")).contains("SHEAF: 100 150,000 10000 150,000");
  }

  @Test
  void write_andRead_givesTheSame() throws IOException {
    ResultFile written = file("A", "0.5", 100, 150);
    Path file = directory.resolve("results.json");
    written.write(file);

    JsonNode json = new ObjectMapper().readTree(file.toFile());
    assertThat(json.at("/environment/JVM").asText()).isEqualTo("some JVM");
    assertThat(json.at("/questions/0/answers/1/ratio").asDouble()).isEqualTo(1.5);
    assertThat(ResultFile.read(file)).isEqualTo(written);
  }

  @Test
  void read_noResults_saysWhichFile() throws IOException {
    Path file = Files.writeString(directory.resolve("other.json"), "{}");
    Path broken = Files.writeString(directory.resolve("broken.json"), "{");

    assertThatThrownBy(() -> ResultFile.read(file))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("other.json");
    assertThatThrownBy(() -> ResultFile.read(broken))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining("broken.json");
  }

  @Test
  void write_noSuchDirectory_saysWhich() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    Report report = new Report(List.of(file("A", "0", 1, 1)));

    assertThatThrownBy(() -> report.write(file, "results"))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining(file.toString());
  }

  private static String page(ResultFile... files) {
    return new Report(List.of(files)).markdown("results", new LinkedHashMap<>());
  }

  static ResultFile file(String commit, String load, double lettuce, double sheaf) {
    Answers answers = new Answers(List.of("LETTUCE", "SHEAF"));
    answers.add(
        "LETTUCE", new Measurement(lettuce, "ops/s", true, Map.of(Cost.COMMANDS.key(), 1.0)));
    answers.add(
        "SHEAF", new Measurement(sheaf, "ops/s", true, Map.of(Cost.CLIENT_CPU.key(), 5.58)));
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("JVM", "some JVM");
    facts.put("Commit", commit);
    facts.put("Load before", load);
    facts.put("Command", "some command");
    ResultFile.Asked asked =
        new ResultFile.Asked("blocking-standalone-64", "64 threads", "1 s", answers.lines());
    return new ResultFile(facts, List.of(asked));
  }
}
