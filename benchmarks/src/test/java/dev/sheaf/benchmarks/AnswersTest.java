package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswersTest {

  private static final Question.Contender LETTUCE = new Question.Contender(Client.LETTUCE, null);
  private static final Question.Contender SHEAF = new Question.Contender(Client.SHEAF, null);

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

    Answers.Answer sheaf = answers.lines().get(1);
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

    assertThat(answers.lines().get(0).contender()).isEqualTo(LETTUCE);
    assertThat(answers.lines().get(0).ratio()).isEqualTo(1.0);
  }

  @Test
  void lines_costMissingInOneRound_medianOfTheOthers() {
    answers.add(LETTUCE, new Measurement(1, "ops/s", true, Map.of(Cost.CLIENT_CPU, 4.0)));
    answers.add(LETTUCE, new Measurement(1, "ops/s", true, Map.of()));
    answers.add(SHEAF, new Measurement(1, "ops/s", true, Map.of()));
    answers.add(SHEAF, new Measurement(1, "ops/s", true, Map.of()));

    assertThat(answers.lines().get(0).costs()).isEqualTo(Map.of(Cost.CLIENT_CPU, 4.0));
    assertThat(answers.lines().get(1).costs()).isEmpty();
  }

  private void round(double lettuce, double sheaf, boolean throughput) {
    answers.add(LETTUCE, new Measurement(lettuce, "unit", throughput, Map.of()));
    answers.add(SHEAF, new Measurement(sheaf, "unit", throughput, Map.of()));
  }
}
