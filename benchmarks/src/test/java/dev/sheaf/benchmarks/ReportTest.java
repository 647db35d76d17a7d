package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {

  @TempDir Path directory;

  @Test
  void markdown_twoRivals_alignedTableWithRatios() {
    String table = section(report("--rounds", "1").markdown(), "| rival");

    assertThat(table)
        .isEqualTo(
            """
            | rival   |   ops/s | ratio |   from, to | commands per server read | commands |\
             server reads | server CPU us | client CPU us | client bytes allocated |
            |:--------|--------:|------:|-----------:|-------------------------:|---------:|\
            -------------:|--------------:|--------------:|-----------------------:|
            | LETTUCE | 100,000 |  1.00 | 1.00, 1.00 |                     1.87 |     1.00 |\
                        - |             - |             - |                      - |
            | SHEAF   | 150,000 |  1.50 | 1.50, 1.50 |                        - |        - |\
                        - |             - |          5.58 |                      - |
            """);
  }

  @Test
  void markdown_targetMissed_saysSo() {
    assertThat(report("--rounds", "1").markdown())
        .contains(
            "- blocking-standalone-64, SHEAF: at least 2.00 wanted, 1.50 reached, which is too"
                + " little");
  }

  @Test
  void markdown_busyMachine_warnsAndQuietOneDoesNot() {
    assertThat(report(64 * Runtime.getRuntime().availableProcessors()).markdown())
        .contains("machine was busy");
    assertThat(report(0.1).markdown()).doesNotContain("busy");
  }

  @Test
  void markdown_options_namesTheCommandThatRepeatsIt() {
    assertThat(report("--rounds", "2", "--quick", "--only", "a,b", "--clients", "SHEAF").markdown())
        .contains("compare --rounds 2 --quick --only a,b --clients LETTUCE,SHEAF\n");
  }

  @Test
  void write_bothFiles_carryEnvironmentAndRatios() throws IOException {
    report("--rounds", "1", "--out", directory.toString()).write(silent());

    JsonNode json = new ObjectMapper().readTree(directory.resolve("results.json").toFile());
    assertThat(json.at("/environment/JVM").asText()).isEqualTo("some JVM");
    assertThat(json.at("/questions/0/answers/1/rival").asText()).isEqualTo("SHEAF");
    assertThat(json.at("/questions/0/answers/1/ratio").asDouble()).isEqualTo(1.5);
    assertThat(json.at("/questions/0/answers/1/costs/client.cpu us~1op").asDouble())
        .isEqualTo(5.58);
    assertThat(directory.resolve("results.md")).content().contains("- JVM: some JVM\n");
  }

  @Test
  void write_noSuchDirectory_saysWhich() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));

    assertThatThrownBy(() -> report("--out", file.toString()).write(silent()))
        .isInstanceOf(ComparisonException.class)
        .hasMessageContaining(file.toString());
  }

  private static PrintStream silent() {
    return new PrintStream(new ByteArrayOutputStream(), false, StandardCharsets.UTF_8);
  }

  private static String section(String page, String start) {
    return page.substring(page.indexOf(start), page.indexOf("\n\n", page.indexOf(start)) + 1);
  }

  private static Report report(String... options) {
    return report(0, options);
  }

  private static Report report(double load, String... options) {
    Question question =
        Question.all().stream()
            .filter(each -> each.name().equals("blocking-standalone-64"))
            .findAny()
            .orElseThrow();
    Question.Contender lettuce = new Question.Contender(Client.LETTUCE, null);
    Question.Contender sheaf = new Question.Contender(Client.SHEAF, null);
    Answers answers = new Answers(List.of(lettuce, sheaf));
    answers.add(
        lettuce,
        new Measurement(
            100_000, "ops/s", true, Map.of(Cost.COMMANDS_PER_READ, 1.87, Cost.COMMANDS, 1.0)));
    answers.add(sheaf, new Measurement(150_000, "ops/s", true, Map.of(Cost.CLIENT_CPU, 5.58)));
    return new Report(
        CompareOptions.parse(options),
        new Environment(Map.of("JVM", "some JVM"), load),
        "0.10",
        Duration.ofSeconds(7),
        Map.of(question, answers));
  }
}
