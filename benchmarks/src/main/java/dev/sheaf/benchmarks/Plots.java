package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The plots that a set of answers allows. */
final class Plots {

  private static final Pattern THREADS = Pattern.compile("blocking-(standalone|cluster)-(\\d+)");
  private static final Pattern DISTANT = Pattern.compile("distant-keys-(\\d+)us");
  private static final String NEAR = "many-keys-standalone";
  private static final double MICROS_PER_MILLI = 1e3;

  private Plots() {}

  /**
   * Draws.
   *
   * @param note where and when this was measured
   * @return plots by the last part of their files' names
   */
  static Map<String, LinePlot> of(List<ResultFile.Asked> questions, String note) {
    Map<String, LinePlot> plots = new LinkedHashMap<>();
    for (String server : List.of("standalone", "cluster")) {
      Map<Double, ResultFile.Asked> steps = new TreeMap<>();
      for (ResultFile.Asked question : questions) {
        Matcher matcher = THREADS.matcher(question.name());
        if (matcher.matches() && matcher.group(1).equals(server)) {
          steps.merge(Double.valueOf(matcher.group(2)), question, Plots::longer);
        }
      }
      if (steps.size() > 1) {
        String title = "Blocking GETs a second against threads, " + server;
        plots.put("threads-" + server, plot(title, "threads", steps, false, Answer::score, note));
      }
    }
    distance(questions, note, plots);
    sizes(questions, note, plots);
    latency(questions, note, plots);
    return plots;
  }

  /** Of the same question measured twice, the one with the longer measurement. */
  private static ResultFile.Asked longer(ResultFile.Asked one, ResultFile.Asked other) {
    Comparator<ResultFile.Asked> byRounds =
        Comparator.comparingInt(question -> question.answers().get(0).scores().size());
    return byRounds.compare(one, other) >= 0 ? one : other;
  }

  private static void distance(
      List<ResultFile.Asked> questions, String note, Map<String, LinePlot> plots) {
    Map<Double, ResultFile.Asked> steps = new TreeMap<>();
    for (ResultFile.Asked question : questions) {
      Matcher matcher = DISTANT.matcher(question.name());
      if (matcher.matches()) {
        steps.put(Double.parseDouble(matcher.group(1)) / MICROS_PER_MILLI, question);
      } else if (question.name().equals(NEAR)) {
        steps.put(0.0, question);
      }
    }
    if (steps.size() > 1) {
      plots.put(
          "distance",
          plot(
              "Milliseconds for a page of 100 keys against the round trip",
              "round trip added to the loopback interface, ms",
              steps,
              true,
              answer -> answer.score() / MICROS_PER_MILLI,
              note));
    }
  }

  private static void sizes(
      List<ResultFile.Asked> questions, String note, Map<String, LinePlot> plots) {
    Map<Double, ResultFile.Asked> steps = new TreeMap<>();
    for (ResultFile.Asked question : questions) {
      ValueSizeBenchmark.Size.ofQuestion(question.name())
          .ifPresent(size -> steps.put((double) size.bytes(), question));
    }
    if (steps.size() > 1) {
      plots.put(
          "value-sizes",
          plot(
              "Values a second against their size, 8 threads",
              "bytes",
              steps,
              true,
              Answer::score,
              note));
    }
  }

  private static LinePlot plot(
      String title,
      String unit,
      Map<Double, ResultFile.Asked> steps,
      boolean logarithmic,
      ToDoubleFunction<Answer> value,
      String note) {
    Set<String> rivals = new LinkedHashSet<>();
    steps.values().forEach(q -> q.answers().forEach(answer -> rivals.add(answer.rival())));
    List<LinePlot.Curve> curves = new ArrayList<>();
    for (String rival : rivals) {
      List<@Nullable Double> values = new ArrayList<>();
      for (ResultFile.Asked question : steps.values()) {
        values.add(
            question.answers().stream()
                .filter(answer -> answer.rival().equals(rival))
                .map(value::applyAsDouble)
                .findFirst()
                .orElse(null));
      }
      curves.add(new LinePlot.Curve(rival, values));
    }
    List<String> names = steps.keySet().stream().map(Plots::step).toList();
    return new LinePlot(title, names, unit, logarithmic, curves, List.of(note));
  }

  private static String step(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }

  private static void latency(
      List<ResultFile.Asked> questions, String note, Map<String, LinePlot> plots) {
    for (ResultFile.Asked question : questions) {
      if (!question.name().startsWith(GetLoad.QUESTION)) {
        continue;
      }
      List<LinePlot.Curve> curves = new ArrayList<>();
      for (Answer answer : question.answers()) {
        List<@Nullable Double> values = new ArrayList<>();
        for (String percentile : GetLoad.PERCENTILES) {
          values.add(answer.cost(percentile));
        }
        curves.add(new LinePlot.Curve(answer.rival(), values));
      }
      plots.put(
          question.name(),
          new LinePlot(
              "Microseconds until the value is there: " + question.text(),
              GetLoad.PERCENTILES,
              "percentile",
              true,
              curves,
              List.of(note)));
    }
  }
}
