package dev.sheaf.examples.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.sheaf.examples.demo.Experiment.Meaning;
import dev.sheaf.examples.demo.Experiment.Measurement;
import dev.sheaf.examples.demo.Target.Counts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The measurements for people and for programs.
 *
 * @param measurements in the order they were made, the naive way of each experiment first
 * @param descriptions of the experiments, by name
 * @param loops what the client's detector found meanwhile, a line each
 * @param facts what was measured on and with, by name
 */
record Report(
    List<Measurement> measurements,
    Map<String, String> descriptions,
    List<String> loops,
    Map<String, String> facts) {

  private static final ObjectWriter JSON = new ObjectMapper().writerWithDefaultPrettyPrinter();

  /** An array of objects, one for each way of each experiment. */
  String json() throws IOException {
    List<Map<String, Object>> ways = new ArrayList<>();
    for (Measurement measurement : measurements) {
      Map<String, Object> way = new LinkedHashMap<>();
      way.put("experiment", measurement.experiment());
      way.put("way", measurement.way().name());
      way.put("millis", measurement.millis());
      way.put("roundTrips", measurement.counts().roundTrips());
      way.put("commands", measurement.counts().commands());
      way.put("bytes", measurement.counts().bytes());
      way.put("factor", measurement.factor());
      ways.add(way);
    }
    return JSON.writeValueAsString(ways) + "\n";
  }

  /** One file that needs no other; its script draws what stands in it as data. */
  String html() throws IOException {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("headlines", headlines());
    data.put("ways", measurements.stream().map(Measurement::inWords).toList());
    data.put("descriptions", descriptions);
    data.put("loops", loops);
    data.put("facts", facts);
    try (InputStream page = Report.class.getResourceAsStream("report.html")) {
      return new String(Objects.requireNonNull(page).readAllBytes(), StandardCharsets.UTF_8)
          .replace("{{data}}", JSON.writeValueAsString(data).replace("<", "\\u003c"));
    }
  }

  /**
   * Sheaf beside the best that is possible without it.
   *
   * @param factor how much better Sheaf is, or its share of late answers
   */
  record Headline(String experiment, String factor, String sheaf, String best, String bestWay) {

    static Headline of(List<Measurement> ways) {
      Measurement naive = ways.get(0);
      Measurement best =
          ways.stream()
              .filter(way -> !way.way().name().startsWith("sheaf"))
              .min(Comparator.comparingDouble(Measurement::cost))
              .orElse(naive);
      Measurement sheaf =
          ways.stream().filter(way -> way.way().name().equals("sheaf")).findFirst().orElse(naive);
      String factor =
          sheaf.meaning() == Meaning.LATE_SHARE
              ? sheaf.shownFactor()
              : Text.significant(best.cost() / sheaf.cost()) + "x";
      return new Headline(
          naive.experiment(), factor, sheaf.shown(), best.shown(), best.way().name());
    }
  }

  /** What every reader asks first. */
  List<Headline> headlines() {
    return descriptions.keySet().stream()
        .map(name -> measurements.stream().filter(way -> way.experiment().equals(name)).toList())
        .map(Headline::of)
        .toList();
  }

  String console() {
    String line = "%-15s %11s  %-25s %s%n";
    StringBuilder text = new StringBuilder("\nSheaf beside the best other way\n\n");
    for (Headline of : headlines()) {
      String other = of.best() + " by " + of.bestWay();
      text.append(line.formatted(of.experiment(), of.factor(), of.sheaf(), other));
    }
    line = "%-15s %-14s %11s %11s %9s %9s  %s%n";
    text.append("\nAll figures\n\n");
    text.append(
        line.formatted("experiment", "way", "time", "round trips", "commands", "bytes", "factor"));
    for (Measurement measured : measurements) {
      Counts counts = measured.counts();
      text.append(
          line.formatted(
              measured.experiment(),
              measured.way().name(),
              Text.millis(measured.millis()),
              Text.count(counts.roundTrips()),
              Text.count(counts.commands()),
              Text.bytes(counts.bytes()),
              measured.shownFactor()));
    }
    return text.toString();
  }
}
