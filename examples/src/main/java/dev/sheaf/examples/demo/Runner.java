package dev.sheaf.examples.demo;

import dev.sheaf.examples.demo.Experiment.Meaning;
import dev.sheaf.examples.demo.Experiment.Measurement;
import dev.sheaf.examples.demo.Experiment.Way;
import dev.sheaf.examples.demo.Target.Counts;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;

/**
 * Measures experiments: runs the ways in turn, so that a change of the machine's pace meets all of
 * them, and compares every outcome with the stored data.
 */
record Runner(Options options, PrintStream out) {

  private static final int MAX_WARM_UP_RUNS = 60;
  private static final int MAX_RUNS = 15;

  private record Run(long nanos, Counts counts, double late) {}

  /** Thrown if a way has another outcome than expected. */
  static final class WrongResultException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WrongResultException(String message) {
      super(message);
    }
  }

  /** The measurements of all ways, the naive one first. */
  List<Measurement> run(Experiment experiment) {
    out.println(experiment.name() + ": " + experiment.description());
    repeat(experiment, options.warmUp, MAX_WARM_UP_RUNS);
    List<Measurement> measurements = new ArrayList<>();
    List<Run> naive = new ArrayList<>();
    repeat(experiment, options.measured, MAX_RUNS)
        .forEach(
            (way, runs) -> {
              runs.sort(Comparator.comparingLong(Run::nanos));
              Run median = runs.get((runs.size() - 1) / 2);
              naive.add(median);
              measurements.add(measurement(experiment, way, naive.get(0), median, runs));
            });
    measurements.forEach(
        way -> out.printf("  %-14s %s, %s%n", way.way().name(), way.shown(), way.shownFactor()));
    return measurements;
  }

  private static Measurement measurement(
      Experiment experiment, Way way, Run naive, Run median, List<Run> runs) {
    Long naiveBytes = naive.counts().bytes();
    Long bytes = median.counts().bytes();
    double millis = median.nanos() / 1e6;
    Meaning meaning = way.meaning();
    double factor = (double) naive.nanos() / median.nanos();
    if (meaning == Meaning.LATE_SHARE) {
      factor = runs.stream().mapToDouble(Run::late).average().orElse(0);
    } else if (meaning == Meaning.FEWER_BYTES && naiveBytes != null && bytes != null) {
      factor = (double) naiveBytes / bytes;
    } else {
      meaning = Meaning.TIMES_FASTER; // Where nobody counts the bytes, the time has to do.
    }
    return new Measurement(
        experiment.name(), way, millis, median.counts(), meaning, factor, runs.size());
  }

  /** Runs the ways in turn, each until its time is over or it has run so often. */
  private static Map<Way, List<Run>> repeat(Experiment experiment, Duration time, int most) {
    Map<Way, List<Run>> all = new LinkedHashMap<>();
    for (int turn = 0; turn < most; turn++) {
      for (Way way : experiment.ways()) {
        List<Run> runs = all.computeIfAbsent(way, unused -> new ArrayList<>());
        long spent = runs.stream().mapToLong(run -> run.nanos() / way.parts()).sum();
        if (runs.isEmpty() || spent < time.toNanos()) {
          runs.add(measure(experiment, way));
        }
      }
    }
    return all;
  }

  private static Run measure(Experiment experiment, Way way) {
    Counts mark = experiment.target().counts().get();
    long start = System.nanoTime();
    List<?> outcome = way.work().get();
    long nanos = System.nanoTime() - start;
    Counts counts = experiment.target().counts().get().since(mark, way.parts());
    check(experiment, way, outcome);
    DoubleSupplier late = way.late();
    return new Run(nanos * way.parts(), counts, late == null ? 0 : late.getAsDouble());
  }

  private static void check(Experiment experiment, Way way, List<?> outcome) {
    List<?> expected = experiment.expected();
    int size = Math.max(1, expected.size() / way.parts());
    for (int i = 0; i < Math.max(size, outcome.size()); i++) {
      Object wanted = i < size ? expected.get(i) : "nothing";
      Object given = i < outcome.size() ? outcome.get(i) : "nothing";
      if (!Objects.equals(wanted, given)) {
        throw new WrongResultException(
            "Wrong result: %s, way %s: value %d of %d is %.60s and should be %.60s"
                .formatted(experiment.name(), way.name(), i + 1, size, given, wanted));
      }
    }
  }
}
