package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The measurements of one question, for each rival one in each round. Not thread-safe. */
final class Answers {

  private final List<Question.Contender> contenders;
  private final Map<Question.Contender, List<Measurement>> runs = new LinkedHashMap<>();

  /** Begins without measurements; the first contender is what the ratios refer to. */
  Answers(List<Question.Contender> contenders) {
    this.contenders = contenders;
    contenders.forEach(contender -> runs.put(contender, new ArrayList<>()));
  }

  void add(Question.Contender contender, Measurement measurement) {
    runsOf(contender).add(measurement);
  }

  private List<Measurement> runsOf(Question.Contender contender) {
    return Objects.requireNonNull(runs.get(contender), "not a contender");
  }

  /** One line for each contender, in their order. */
  List<Answer> lines() {
    List<Measurement> reference = runsOf(contenders.get(0));
    List<Answer> lines = new ArrayList<>();
    for (Question.Contender contender : contenders) {
      lines.add(line(contender, runsOf(contender), reference));
    }
    return lines;
  }

  private static Answer line(
      Question.Contender contender, List<Measurement> runs, List<Measurement> reference) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < runs.size(); round++) {
      ratios.add(runs.get(round).speedOver(reference.get(round)));
    }
    List<Double> scores = runs.stream().map(Measurement::score).toList();
    return new Answer(contender, runs.get(0).unit(), scores, ratios, medianCosts(runs));
  }

  private static Map<Cost, Double> medianCosts(List<Measurement> runs) {
    Map<Cost, Double> medians = new EnumMap<>(Cost.class);
    for (Cost cost : Cost.values()) {
      List<Double> amounts =
          runs.stream().map(run -> run.costs().get(cost)).filter(Objects::nonNull).toList();
      if (!amounts.isEmpty()) {
        medians.put(cost, Numbers.median(amounts));
      }
    }
    return Collections.unmodifiableMap(medians);
  }

  /**
   * What one rival answered to one question.
   *
   * @param contender the rival
   * @param unit of the scores
   * @param scores one for each round
   * @param ratios how many times as fast as the reference was in the same round, one for each round
   * @param costs medians over the rounds
   */
  record Answer(
      Question.Contender contender,
      String unit,
      List<Double> scores,
      List<Double> ratios,
      Map<Cost, Double> costs) {

    double score() {
      return Numbers.median(scores);
    }

    /** The median of the ratios within a round: less noisy than the ratio of the medians. */
    double ratio() {
      return Numbers.median(ratios);
    }
  }
}
