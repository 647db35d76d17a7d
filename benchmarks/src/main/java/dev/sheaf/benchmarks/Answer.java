package dev.sheaf.benchmarks;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one rival answered to one question. Its rounds are the first ones of all: a rival that fails
 * is not asked again.
 *
 * @param rival its name, with the way it reads if there are several
 * @param unit of the scores
 * @param higherIsBetter whether scores are throughputs
 * @param scores one for each round
 * @param ratios how many times as fast as the reference was in the same round, one for each round
 *     in which that was measured, too
 * @param costs figures beside the score, those of each round by the name of the figure
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record Answer(
    String rival,
    String unit,
    boolean higherIsBetter,
    List<Double> scores,
    List<Double> ratios,
    Map<String, List<Double>> costs) {

  @JsonProperty("score")
  double score() {
    return Numbers.median(scores);
  }

  /**
   * The median of the ratios within a round: less noisy than the ratio of the medians. Not a number
   * if the reference was never measured.
   */
  @JsonProperty("ratio")
  double ratio() {
    return ratios.isEmpty() ? Double.NaN : Numbers.median(ratios);
  }

  /** The median of a figure, or null if there is none of that name. */
  @Nullable Double cost(String name) {
    List<Double> amounts = costs.get(name);
    return amounts == null ? null : Numbers.median(amounts);
  }

  /** How many times as fast as another rival, by the median of the rounds that both were in. */
  double speedOver(Answer other) {
    return Numbers.median(speedsOver(other));
  }

  /** How many times as fast as another rival, in each round that both were in. */
  List<Double> speedsOver(Answer other) {
    List<Double> speeds = new ArrayList<>();
    for (int round = 0; round < Math.min(scores.size(), other.scores.size()); round++) {
      double own = scores.get(round);
      double others = other.scores.get(round);
      speeds.add(higherIsBetter ? own / others : others / own);
    }
    return speeds;
  }

  /** This and the rounds of another run. */
  Answer and(Answer more) {
    Map<String, List<Double>> both = new LinkedHashMap<>(costs);
    more.costs.forEach((name, amounts) -> both.merge(name, amounts, Answer::concat));
    return new Answer(
        rival,
        unit,
        higherIsBetter,
        concat(scores, more.scores),
        concat(ratios, more.ratios),
        both);
  }

  private static List<Double> concat(List<Double> first, List<Double> second) {
    List<Double> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }
}
