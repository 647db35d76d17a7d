package dev.sheaf.examples.demo;

import dev.sheaf.examples.demo.Measurement.Meaning;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs experiments: warms each way up, then measures the ways in turn, so that a change of the
 * machine's pace meets all of them, and checks the outcome of every run.
 */
final class ExperimentRunner {

  private static final double NANOS_PER_MILLI = 1e6;

  private final TargetServer server;
  private final Clients clients;
  private final Budget budget;
  private final Progress progress;

  ExperimentRunner(TargetServer server, Clients clients, Budget budget, Progress progress) {
    this.server = server;
    this.clients = clients;
    this.budget = budget;
    this.progress = progress;
  }

  private record Run(long nanos, Counts counts, double lateShare) {}

  /**
   * Measures all ways.
   *
   * @return in the order of the ways, the naive one first
   * @throws WrongResultException if a run had another outcome than expected
   */
  List<Measurement> run(Experiment experiment) {
    progress.say(experiment.name() + ": " + experiment.description());
    progress.doing(experiment.name() + ": preparing");
    try {
      experiment.prepare(clients);
      return measure(experiment);
    } finally {
      progress.doing(experiment.name() + ": cleaning up");
      experiment.cleanUp(clients);
    }
  }

  private List<Measurement> measure(Experiment experiment) {
    List<Way> ways = experiment.ways(clients);
    warmUp(experiment, ways);
    Map<Way, List<Run>> runs = new LinkedHashMap<>();
    ways.forEach(way -> runs.put(way, new ArrayList<>()));
    boolean more = true;
    while (more) {
      more = false;
      for (Map.Entry<Way, List<Run>> entry : runs.entrySet()) {
        if (wantsMore(entry.getKey(), entry.getValue())) {
          more = true;
          entry.getValue().add(measure(experiment, entry.getKey()));
        }
      }
    }
    return summarise(experiment, runs);
  }

  /** In turn as well: code that several ways share is compiled again when its use changes. */
  private void warmUp(Experiment experiment, List<Way> ways) {
    Map<Way, Long> spent = new LinkedHashMap<>();
    ways.stream().filter(way -> !way.once()).forEach(way -> spent.put(way, 0L));
    for (int i = 0; i < budget.warmUpRuns() && !spent.isEmpty(); i++) {
      for (Map.Entry<Way, Long> entry : spent.entrySet()) {
        Way way = entry.getKey();
        progress.doing(experiment.name() + " " + way.name() + ": warming up");
        long start = System.nanoTime();
        check(experiment, way, way.work().get());
        entry.setValue(entry.getValue() + System.nanoTime() - start);
      }
      spent.values().removeIf(nanos -> nanos >= budget.warmUp().toNanos());
    }
  }

  private boolean wantsMore(Way way, List<Run> done) {
    int minRuns = way.once() ? 1 : budget.minRuns();
    int maxRuns = way.once() ? 1 : budget.maxRuns();
    long spent = done.stream().mapToLong(Run::nanos).sum();
    return done.size() < minRuns || (done.size() < maxRuns && spent < budget.measured().toNanos());
  }

  private Run measure(Experiment experiment, Way way) {
    progress.doing(experiment.name() + " " + way.name() + ": measuring");
    TargetServer counting = experiment.server(server);
    Counts mark = counting.mark();
    long start = System.nanoTime();
    List<?> outcome = way.work().get();
    long nanos = System.nanoTime() - start;
    Counts counts = counting.since(mark);
    check(experiment, way, outcome);
    DoubleSupplier late = way.lateShare();
    return new Run(
        nanos * way.parts(), counts.times(way.parts()), late == null ? 0 : late.getAsDouble());
  }

  private static void check(Experiment experiment, Way way, List<?> outcome) {
    List<?> expected = experiment.expected(way);
    String where = "Wrong result: " + experiment.name() + ", way " + way.name() + ": ";
    if (outcome.size() != expected.size()) {
      throw new WrongResultException(
          where + outcome.size() + " values where " + expected.size() + " were expected");
    }
    for (int i = 0; i < expected.size(); i++) {
      if (!Objects.equals(expected.get(i), outcome.get(i))) {
        throw new WrongResultException(
            where
                + "value "
                + (i + 1)
                + " of "
                + expected.size()
                + " is "
                + shortened(outcome.get(i))
                + " and should be "
                + shortened(expected.get(i)));
      }
    }
  }

  private static String shortened(Object value) {
    int most = 60;
    String text = String.valueOf(value);
    return text.length() <= most ? text : text.substring(0, most) + "...";
  }

  private List<Measurement> summarise(Experiment experiment, Map<Way, List<Run>> runs) {
    List<Measurement> measurements = new ArrayList<>();
    @Nullable Run naive = null;
    for (Map.Entry<Way, List<Run>> entry : runs.entrySet()) {
      Run median = median(entry.getValue());
      double millis = median.nanos() / NANOS_PER_MILLI;
      naive = naive == null ? median : naive;
      Meaning meaning = meaning(entry.getKey(), median);
      Measurement measurement =
          new Measurement(
              experiment.name(),
              entry.getKey().name(),
              entry.getKey().description(),
              millis,
              median.counts(),
              factor(meaning, naive, median, entry.getValue()),
              meaning,
              entry.getValue().size());
      measurements.add(measurement);
      progress.say(
          String.format("  %-14s %10s", measurement.way(), Figures.millis(measurement.millis()))
              + (meaning == Meaning.TIMES_FASTER ? "" : ", " + measurement.shownFactor())
              + (meaning == Meaning.FEWER_BYTES ? "; " + measurement.description() : ""));
    }
    return measurements;
  }

  /** Where nobody counts the bytes, the time has to do. */
  private static Meaning meaning(Way way, Run run) {
    return way.meaning() == Meaning.FEWER_BYTES && run.counts().bytes() == null
        ? Meaning.TIMES_FASTER
        : way.meaning();
  }

  private static double factor(Meaning meaning, Run naive, Run median, List<Run> runs) {
    return switch (meaning) {
      case TIMES_FASTER -> (double) naive.nanos() / median.nanos();
      case LATE_SHARE -> lateShare(runs);
      case FEWER_BYTES -> bytes(naive) / bytes(median);
    };
  }

  private static double bytes(Run run) {
    return Objects.requireNonNullElse(run.counts().bytes(), 0L);
  }

  private static double lateShare(List<Run> runs) {
    return runs.stream().mapToDouble(Run::lateShare).average().orElse(0);
  }

  /** The middle run by time, of an even number the faster of the two. */
  private static Run median(List<Run> runs) {
    List<Run> sorted = new ArrayList<>(runs);
    sorted.sort(Comparator.comparingLong(Run::nanos));
    return sorted.get((sorted.size() - 1) / 2);
  }
}
