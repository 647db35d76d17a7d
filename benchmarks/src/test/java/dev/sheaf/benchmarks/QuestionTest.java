package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuestionTest {

  private static final Duration QUICK_COMPARISON = Duration.ofMinutes(5);

  /** To start a JVM and to connect, as measured on two cores. */
  private static final long OVERHEAD_MILLIS = 900;

  @Test
  void limitedTo_quickThreeRounds_fitsIntoFiveMinutes() {
    CompareOptions quick = CompareOptions.parse("--quick");
    long eachRound =
        Question.all().stream()
            .filter(Question::quick)
            .mapToLong(
                question -> question.limitedTo(quick).contenders().size() * millis(quick, question))
            .sum();

    assertThat(Duration.ofMillis(quick.rounds() * eachRound)).isLessThanOrEqualTo(QUICK_COMPARISON);
  }

  private static long millis(CompareOptions options, Question question) {
    if (question.name().startsWith(LatencyRun.QUESTION)) {
      int seconds = LatencyRun.warmUpSeconds(options) + LatencyRun.seconds(options);
      return Duration.ofSeconds(seconds).toMillis() + OVERHEAD_MILLIS;
    }
    Timing timing = Timing.of(options, question.threads());
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
  void limitedTo_quickWithNames_putsAnyQuestionToAnyRival() {
    CompareOptions options = CompareOptions.parse("--quick", "--only", "virtual-64,cluster-8");

    assertThat(Question.all().stream().filter(question -> options.asks(question.name())))
        .isNotEmpty()
        .allSatisfy(
            question ->
                assertThat(question.limitedTo(options).contenders())
                    .hasSizeGreaterThanOrEqualTo(Client.values().length - 1));
  }

  @Test
  void all_names_areDifferent() {
    assertThat(Question.all()).extracting(Question::name).doesNotHaveDuplicates();
  }

  @Test
  void all_targets_referToAnswersThatAreGiven() {
    assertThat(Target.ALL)
        .filteredOn(target -> !target.question().startsWith("virtual"))
        .allSatisfy(
            target -> {
              Question asked =
                  Question.all().stream()
                      .filter(question -> question.name().equals(target.question()))
                      .findAny()
                      .orElseThrow();
              assertThat(asked.contenders())
                  .extracting(Question.Contender::label)
                  .contains(target.rival());
              if (target.reference() != null) {
                assertThat(asked.contenders())
                    .extracting(Question.Contender::label)
                    .contains(target.reference());
              }
            });
  }
}
