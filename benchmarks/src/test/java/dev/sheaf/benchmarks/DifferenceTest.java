package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DifferenceTest {

  @Test
  void markdown_roundsApart_namesTheChange() {
    assertThat(markdown(List.of(2.0, 2.1, 2.2), List.of(3.0, 3.1, 3.2)))
        .startsWith("2 answers in both files; 1 figure changed beyond noise")
        .containsPattern(
            "blocking +\\| +SHEAF +\\| +ratio +\\| +2.10 +\\| +3.10 +\\| +\\+48 % +\\| +faster");
    assertThat(markdown(List.of(3.0, 3.1, 3.2), List.of(2.0, 2.1, 2.2))).contains("slower");
  }

  @Test
  void markdown_roundsOverlap_isNoise() {
    assertThat(markdown(List.of(2.0, 2.1, 3.05), List.of(3.0, 3.1, 3.2)))
        .isEqualTo("2 answers in both files; nothing changed beyond noise\n");
  }

  @Test
  void verdict_smallOrSeldomMeasured_isNoise() {
    assertThat(Difference.verdict(List.of(1.0, 1.01), List.of(1.02, 1.03), true)).isNull();
    assertThat(Difference.verdict(List.of(1.0), List.of(3.0), true)).isNull();
    assertThat(Difference.verdict(List.of(100.0, 101.0), List.of(108.0, 109.0), false)).isNull();
    assertThat(Difference.verdict(List.of(100.0, 101.0), List.of(120.0, 121.0), false))
        .isEqualTo("more");
  }

  @Test
  void markdown_questionInOneFileOnly_isNotCompared() {
    ResultFile other =
        new ResultFile(Map.of(), List.of(new ResultFile.Asked("other", "other", "1 s", List.of())));

    assertThat(new Difference(file(List.of(1.0)), other).markdown())
        .isEqualTo("0 answers in both files; nothing changed beyond noise\n");
  }

  private static String markdown(List<Double> before, List<Double> after) {
    return new Difference(file(before), file(after)).markdown();
  }

  private static ResultFile file(List<Double> ratios) {
    List<Double> ones = ratios.stream().map(ratio -> 1.0).toList();
    return new ResultFile(
        Map.of(),
        List.of(
            new ResultFile.Asked(
                "blocking",
                "blocking",
                "1 s",
                List.of(
                    new Answer("LETTUCE", "ops/s", true, ones, ones, Map.of()),
                    new Answer("SHEAF", "ops/s", true, ratios, ratios, Map.of())))));
  }
}
