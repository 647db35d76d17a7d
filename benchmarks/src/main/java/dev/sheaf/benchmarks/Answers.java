package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The measurements of one question, for each rival one in each round, until it is broken off. Not
 * thread-safe.
 */
final class Answers {

  private final List<String> rivals;
  private final Map<String, List<Measurement>> runs = new LinkedHashMap<>();

  /** Begins without measurements; the first rival is what the ratios refer to. */
  Answers(List<String> rivals) {
    this.rivals = rivals;
    rivals.forEach(rival -> runs.put(rival, new ArrayList<>()));
  }

  void add(String rival, Measurement measurement) {
    runsOf(rival).add(measurement);
  }

  private List<Measurement> runsOf(String rival) {
    return Objects.requireNonNull(runs.get(rival), "not a contender");
  }

  /** One for each rival that was measured, in their order. */
  List<Answer> lines() {
    List<Measurement> reference = runsOf(rivals.get(0));
    return rivals.stream()
        .filter(rival -> !runsOf(rival).isEmpty())
        .map(rival -> line(rival, runsOf(rival), reference))
        .toList();
  }

  /** There are ratios for the rounds in which the reference was measured, too. */
  private static Answer line(String rival, List<Measurement> runs, List<Measurement> reference) {
    List<Double> ratios = new ArrayList<>();
    Map<String, List<Double>> costs = new LinkedHashMap<>();
    for (int round = 0; round < runs.size(); round++) {
      if (round < reference.size()) {
        ratios.add(runs.get(round).speedOver(reference.get(round)));
      }
      runs.get(round)
          .costs()
          .forEach((name, cost) -> costs.computeIfAbsent(name, n -> new ArrayList<>()).add(cost));
    }
    List<Double> scores = runs.stream().map(Measurement::score).toList();
    Measurement any = runs.get(0);
    return new Answer(rival, any.unit(), any.higherIsBetter(), scores, ratios, costs);
  }
}
