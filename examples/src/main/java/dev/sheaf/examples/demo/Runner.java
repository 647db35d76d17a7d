// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import dev.sheaf.examples.demo.Experiment.Measurement;
import dev.sheaf.examples.demo.Experiment.Unit;
import dev.sheaf.examples.demo.Experiment.Way;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures experiments: runs the alternatives in turn, so that changes of the machine's speed
 * affect all of them, and compares every result with the stored data.
 */
record Runner(Options options) {

  /**
   * Returns the measurements of all alternatives, the naive one first.
   *
   * @throws AssertionError if a result is wrong
   */
  List<Measurement> run(Experiment experiment) {
    repeat(experiment, options.warmUp, 60);
    List<Measurement> medians = new ArrayList<>();
    for (List<Measurement> runs : repeat(experiment, options.measured, 15)) {
      runs.sort(Comparator.comparingDouble(Measurement::millis));
      Measurement median = runs.get((runs.size() - 1) / 2);
      double naive = (medians.isEmpty() ? median : medians.get(0)).cost(experiment.unit());
      medians.add(
          experiment.unit() == Unit.LATE
              ? median.with(runs.stream().mapToDouble(Measurement::factor).average().orElse(0))
              : median.with(naive / median.cost(experiment.unit())));
    }
    return medians;
  }

  /** Runs the alternatives in turn, each until its time is over or its runs are done. */
  private Collection<List<Measurement>> repeat(Experiment experiment, Duration time, int most) {
    Map<Way, List<Measurement>> all = new LinkedHashMap<>();
    for (int turn = 0; turn < most; turn++) {
      for (Way way : experiment.ways()) {
        List<Measurement> runs = all.computeIfAbsent(way, unused -> new ArrayList<>());
        double spent = runs.stream().mapToDouble(run -> run.millis() / way.parts()).sum();
        if (runs.isEmpty() || spent < time.toMillis()) {
          runs.add(measure(experiment, way));
        }
      }
    }
    return all.values();
  }

  /** Measures one run, with the share of late answers for its factor. */
  private Measurement measure(Experiment experiment, Way way) {
    Map<String, Long> before = experiment.counts().get();
    long start = System.nanoTime();
    List<?> outcome = way.work().get();
    double millis = (System.nanoTime() - start) / 1e6 * way.parts();
    Map<String, Long> counts = new HashMap<>(experiment.counts().get());
    counts.replaceAll((of, count) -> (count - before.getOrDefault(of, count)) * way.parts());
    List<?> expected = experiment.expected();
    expected = expected.subList(0, Math.max(1, expected.size() / way.parts()));
    boolean mayBeLate = experiment.unit() == Unit.LATE && outcome.size() == expected.size();
    if (!mayBeLate && !outcome.equals(expected)) {
      throw new AssertionError(
          "Wrong result: %s, way %s: %.200s".formatted(experiment.name(), way.name(), outcome));
    }
    return new Measurement(
        experiment.name(),
        way.name(),
        millis,
        counts.get("roundTrips"),
        counts.get("commands"),
        counts.get("bytes"),
        (double) Collections.frequency(outcome, true) / outcome.size());
  }
}
