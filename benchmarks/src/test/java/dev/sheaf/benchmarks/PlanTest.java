package dev.sheaf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sheaf.benchmarks.Plan.Sitting;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PlanTest {

  @ParameterizedTest
  @CsvSource({"--quick, 5", "--targets, 30", "--details, 10"})
  void millisOfRound_allRounds_fitIntoTheTimeThatIsPromised(String scope, long minutes) {
    CompareOptions options = CompareOptions.parse(scope);

    long millis = options.rounds() * plan(options).millisOfRound();

    assertThat(Duration.ofMillis(millis)).isLessThanOrEqualTo(Duration.ofMinutes(minutes));
  }

  @ParameterizedTest
  @EnumSource
  void round_everyScope_asksEachContenderOnceAndOneClientInEachJvm(Scope scope) {
    CompareOptions options = options(scope);
    List<Question> questions = questions(options);

    List<Sitting> sittings = new Plan(questions, scope).round(0);

    assertThat(
            sittings.stream()
                .flatMap(sitting -> sitting.steps().stream())
                .map(step -> step.question().name() + " " + step.contender().label()))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(
            questions.stream()
                .flatMap(
                    question ->
                        question.contenders().stream()
                            .map(contender -> question.name() + " " + contender.label()))
                .toList());
    assertThat(sittings)
        .allSatisfy(
            sitting ->
                assertThat(
                        sitting.steps().stream()
                            .map(step -> step.contender().client())
                            .collect(Collectors.toSet()))
                    .hasSize(1));
  }

  @Test
  void round_another_beginsWithAnotherRival() {
    CompareOptions options = CompareOptions.parse("--targets", "--only", "blocking-standalone-64");
    Plan plan = plan(options);

    assertThat(plan.round(0).get(0).steps().get(0).contender().client())
        .isNotEqualTo(plan.round(1).get(0).steps().get(0).contender().client());
  }

  @Test
  void round_manyThreadsAfterOthers_areWarmedUpForLongEnough() {
    for (Scope scope : Scope.values()) {
      assertThat(plan(options(scope)).round(0))
          .flatExtracting(Sitting::steps)
          .filteredOn(step -> step.question().isForCrowd())
          .isNotEmpty()
          .allSatisfy(
              step ->
                  assertThat(step.timing().warmUpSeconds())
                      .isGreaterThanOrEqualTo(Timing.LEAST_WARM_UP_OF_CROWD));
    }
  }

  @Test
  void round_fullScope_hasAJvmForEachAnswer() {
    assertThat(plan(CompareOptions.parse()).round(0))
        .allSatisfy(sitting -> assertThat(sitting.steps()).hasSize(1));
  }

  @Test
  void round_targets_asksAllThatTheTableNames() {
    Set<String> asked =
        plan(CompareOptions.parse("--targets")).round(0).stream()
            .flatMap(sitting -> sitting.steps().stream())
            .map(step -> step.question().name() + " " + step.contender().label())
            .collect(Collectors.toSet());

    assertThat(Target.ALL)
        .allSatisfy(
            target ->
                assertThat(target.names())
                    .filteredOn(contender -> contender.client().runsHere())
                    .allSatisfy(
                        contender ->
                            assertThat(asked)
                                .contains(target.question() + " " + contender.label())));
  }

  private static CompareOptions options(Scope scope) {
    return scope == Scope.FULL ? CompareOptions.parse() : CompareOptions.parse("--" + scope.word());
  }

  private static Plan plan(CompareOptions options) {
    return new Plan(questions(options), options.scope());
  }

  private static List<Question> questions(CompareOptions options) {
    return Question.all().stream()
        .filter(question -> options.asks(question.name()))
        .map(question -> question.limitedTo(options))
        .filter(question -> !question.contenders().isEmpty())
        .toList();
  }
}
