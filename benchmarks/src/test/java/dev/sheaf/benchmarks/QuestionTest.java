package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class QuestionTest {

  @Test
  void limitedTo_anyClients_lettuceAnswersFirst() {
    for (String clients : List.of("SHEAF", "JEDIS", "SHEAF,JEDIS")) {
      for (String speed : List.of("--rounds 1", "--quick", "--targets", "--details")) {
        CompareOptions options =
            CompareOptions.parse(("--clients " + clients + " " + speed).split(" "));

        assertThat(Question.all())
            .extracting(question -> question.limitedTo(options).contenders())
            .filteredOn(contenders -> !contenders.isEmpty())
            .isNotEmpty()
            .allSatisfy(
                contenders -> assertThat(contenders.get(0).client()).isEqualTo(Client.LETTUCE));
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
        .allSatisfy(
            target -> {
              Question asked =
                  Question.all().stream()
                      .filter(question -> question.name().equals(target.question()))
                      .findAny()
                      .orElseThrow();
              assertThat(asked.contenders()).containsAll(target.names());
            });
  }
}
