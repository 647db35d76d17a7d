package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuestionTest {

  private static final Duration QUICK_COMPARISON = Duration.ofMinutes(6);

  /** To start a JVM and to connect, as measured on two cores. */
  private static final long OVERHEAD_MILLIS = 900;

  @Test
  void limitedTo_quickThreeRounds_fitsIntoSixMinutes() {
    CompareOptions quick = CompareOptions.parse("--quick");
    long eachRound =
        Question.all().stream()
            .filter(Question::quick)
            .mapToLong(
                question ->
                    question.limitedTo(quick).contenders().size()
                        * millis(Timing.of(quick, question.threads())))
            .sum();

    assertThat(Duration.ofMillis(quick.rounds() * eachRound)).isLessThanOrEqualTo(QUICK_COMPARISON);
  }

  private static long millis(Timing timing) {
    return timing.warmups() * timing.warmupMillis()
        + timing.measurements() * timing.measurementMillis()
        + OVERHEAD_MILLIS;
  }

  @Test
  void limitedTo_anyClients_lettuceAnswersFirst() {
    for (String clients : List.of("SHEAF", "JEDIS", "SHEAF,JEDIS")) {
      for (String speed : List.of("--forks 1", "--quick")) {
        CompareOptions options =
            CompareOptions.parse(("--clients " + clients + " " + speed).split(" "));

        assertThat(Question.all())
            .allSatisfy(
                question ->
                    assertThat(question.limitedTo(options).contenders().get(0).client())
                        .isEqualTo(Client.LETTUCE));
      }
    }
  }

  @Test
  void all_manyKeys_namesOnlyWaysThatExist() {
    assertThat(Question.all())
        .allSatisfy(
            question ->
                assertThat(question.contenders())
                    .doesNotHaveDuplicates()
                    .allSatisfy(
                        contender -> {
                          if (contender.way() != null) {
                            assertThat(
                                    contender.client().offers(contender.way(), question.server()))
                                .isTrue();
                          }
                        }));
  }

  @Test
  void all_targets_referToQuestionsThatAreAsked() {
    CompareOptions quick = CompareOptions.parse("--quick");

    for (Target target : Target.ALL) {
      assertThat(
              Question.all().stream()
                  .filter(question -> question.quick() && question.name().equals(target.question()))
                  .flatMap(question -> question.limitedTo(quick).contenders().stream()))
          .contains(target.contender());
    }
  }
}
