package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TargetTableTest {

  @Test
  void markdown_nothingMeasured_namesAllTargetsAndSaysSo() {
    String table = new TargetTable(List.of()).markdown();

    assertThat(table.lines()).hasSize(Target.ALL.size() + 2);
    assertThat(table.lines().skip(2)).allSatisfy(row -> assertThat(row).contains("not measured"));
    assertThat(new TargetTable(List.of()).markdownOfAsked()).isEmpty();
  }

  @Test
  void markdown_ratioReachedOrMissed_saysByHowMuch() {
    assertThat(row("blocking-standalone-64", "LETTUCE", "SHEAF", true, 100_000, 300_000, 290_000))
        .containsSubsequence(
            "| 64 blocking threads", "295k/s", "Lettuce 100k/s", "≥ 2.7×", "2.95× (2.90 to 3.00)")
        .contains(" yes ");
    assertThat(row("blocking-standalone-64", "LETTUCE", "SHEAF", true, 100_000, 135_000, 135_000))
        .contains("1.35× (1.35 to 1.35)", "**no**, 50 % short");
  }

  @Test
  void markdown_timeOverTheLimit_saysByHowMuch() {
    assertThat(
            row(
                "distant-keys-1200us",
                "LETTUCE FUTURES",
                "SHEAF FUTURES",
                false,
                2_420,
                1_950,
                1_950))
        .contains("≤ 1.30 ms", "1.95 ms (1.95 ms to 1.95 ms)", "**no**, 50 % over")
        .contains("Lettuce futures 2.42 ms");
  }

  @Test
  void markdown_referenceFailed_isNotMeasured() {
    Answers answers = new Answers(List.of("LETTUCE", "SHEAF"));
    answers.add("SHEAF", new Measurement(1_000, "ops/s", true, Map.of()));

    assertThat(new TargetTable(List.of(asked("blocking-standalone-1", answers))).markdown())
        .contains("not measured")
        .doesNotContain("NaN");
  }

  @Test
  void markdown_measuredTwice_theLastCounts() {
    String table =
        new TargetTable(
                List.of(
                    asked("blocking-standalone-1", answers(true, "LETTUCE", "SHEAF", 100, 100)),
                    asked("blocking-standalone-1", answers(true, "LETTUCE", "SHEAF", 100, 200))))
            .markdownOfAsked();

    assertThat(table).contains("2.00× (one round)").doesNotContain("1.00×");
  }

  private static String row(
      String question, String other, String own, boolean rate, double rival, double... sheaf) {
    Answers answers = new Answers(List.of(other, own));
    for (double each : sheaf) {
      answers.add(other, new Measurement(rival, "unit", rate, Map.of()));
      answers.add(own, new Measurement(each, "unit", rate, Map.of()));
    }
    return new TargetTable(List.of(asked(question, answers)))
        .markdownOfAsked()
        .lines()
        .skip(2)
        .findFirst()
        .orElseThrow();
  }

  private static Answers answers(boolean rate, String other, String own, double a, double b) {
    Answers answers = new Answers(List.of(other, own));
    answers.add(other, new Measurement(a, "unit", rate, Map.of()));
    answers.add(own, new Measurement(b, "unit", rate, Map.of()));
    return answers;
  }

  private static ResultFile.Asked asked(String question, Answers answers) {
    return new ResultFile.Asked(question, "text", "timing", answers.lines());
  }
}
