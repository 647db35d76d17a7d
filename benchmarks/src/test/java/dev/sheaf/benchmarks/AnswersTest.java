package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswersTest {

  private static final String LETTUCE = "LETTUCE";
  private static final String SHEAF = "SHEAF";

  private final Answers answers = new Answers(List.of(LETTUCE, SHEAF));

  @Test
  void lines_throughput_higherIsFaster() {
    round(100, 250, true);

    assertThat(answers.lines().get(1).ratio()).isEqualTo(2.5);
  }

  @Test
  void lines_timePerOperation_lowerIsFaster() {
    round(100, 250, false);

    assertThat(answers.lines().get(1).ratio()).isEqualTo(0.4);
  }

  @Test
  void lines_machineSlowForOneRound_ratioTakenWithinTheRound() {
    round(1000, 2000, true);
    round(10, 20, true);
    round(500, 1000, true);

    Answer sheaf = answers.lines().get(1);
    assertThat(sheaf.ratios()).containsExactly(2.0, 2.0, 2.0);
    assertThat(sheaf.score()).isEqualTo(1000);
  }

  @Test
  void lines_oneRoundDisturbedForOneRival_medianIgnoresIt() {
    round(100, 200, true);
    round(1, 200, true);
    round(100, 210, true);

    assertThat(answers.lines().get(1).ratio()).isCloseTo(2.1, within(1e-9));
  }

  @Test
  void lines_reference_isOneAndFirst() {
    round(100, 250, true);

    assertThat(answers.lines().get(0).rival()).isEqualTo(LETTUCE);
    assertThat(answers.lines().get(0).ratio()).isEqualTo(1.0);
  }

  @Test
  void lines_costMissingInOneRound_medianOfTheOthers() {
    answers.add(LETTUCE, new Measurement(1, "ops/s", true, Map.of("cpu", 4.0)));
    answers.add(LETTUCE, new Measurement(1, "ops/s", true, Map.of()));
    answers.add(SHEAF, new Measurement(1, "ops/s", true, Map.of()));
    answers.add(SHEAF, new Measurement(1, "ops/s", true, Map.of()));

    assertThat(answers.lines().get(0).cost("cpu")).isEqualTo(4.0);
    assertThat(answers.lines().get(1).cost("cpu")).isNull();
  }

  @Test
  void and_anotherRun_medianOverTheRoundsOfBoth() {
    round(100, 200, true);
    Answers more = new Answers(List.of(LETTUCE, SHEAF));
    more.add(LETTUCE, new Measurement(100, "unit", true, Map.of("cpu", 1.0)));
    more.add(SHEAF, new Measurement(400, "unit", true, Map.of("cpu", 2.0)));

    Answer both = answers.lines().get(1).and(more.lines().get(1));

    assertThat(both.ratios()).containsExactly(2.0, 4.0);
    assertThat(both.ratio()).isEqualTo(3.0);
    assertThat(both.cost("cpu")).isEqualTo(2.0);
  }

  @Test
  void speedOver_roundsOfBoth_comparesWithinTheRound() {
    round(100, 250, true);
    round(10, 50, true);

    Answer lettuce = answers.lines().get(0);
    Answer sheaf = answers.lines().get(1);
    assertThat(sheaf.speedOver(lettuce)).isEqualTo(3.75);
    assertThat(lettuce.speedOver(sheaf)).isCloseTo(0.3, within(1e-9));
  }

  @Test
  void lines_brokenOffInTheSecondRound_comparesTheRoundsThatBothHave() {
    round(100, 250, true);
    answers.add(SHEAF, new Measurement(900, "unit", true, Map.of()));

    Answer sheaf = answers.lines().get(1);
    assertThat(sheaf.scores()).containsExactly(250.0, 900.0);
    assertThat(sheaf.ratios()).containsExactly(2.5);
    assertThat(sheaf.speedOver(answers.lines().get(0))).isEqualTo(2.5);
  }

  @Test
  void lines_rivalThatFailed_isLeftOut() {
    answers.add(SHEAF, new Measurement(900, "unit", true, Map.of()));

    assertThat(answers.lines()).extracting(Answer::rival).containsExactly(SHEAF);
    assertThat(answers.lines().get(0).ratio()).isNaN();
  }

  private void round(double lettuce, double sheaf, boolean throughput) {
    answers.add(LETTUCE, new Measurement(lettuce, "unit", throughput, Map.of()));
    answers.add(SHEAF, new Measurement(sheaf, "unit", throughput, Map.of()));
  }
}
