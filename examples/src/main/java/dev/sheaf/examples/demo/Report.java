// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.examples.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import dev.sheaf.examples.demo.Experiment.Measurement;
import dev.sheaf.examples.demo.Experiment.Unit;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Formats the measurements for people and for programs.
 *
 * @param measured the measurements of each experiment, the naive one first
 * @param loops what the client's loop detector found meanwhile, a line each
 * @param facts the machine, versions and options, by name
 */
record Report(
    Map<Experiment, List<Measurement>> measured, List<String> loops, Map<String, String> facts) {

  private static final ObjectWriter JSON = new ObjectMapper().writerWithDefaultPrettyPrinter();

  /** Returns an array of objects, one for each alternative of each experiment. */
  String json() throws IOException {
    return JSON.writeValueAsString(ways()) + "\n";
  }

  private List<Measurement> ways() {
    return measured.values().stream().flatMap(List::stream).toList();
  }

  /** Returns a self-contained HTML page; its script draws the charts from embedded data. */
  String html() throws IOException {
    List<?> experiments = measured.keySet().stream().map(Report::described).toList();
    Map<String, ?> data =
        Map.of("experiments", experiments, "ways", ways(), "loops", loops, "facts", facts);
    try (InputStream page = Report.class.getResourceAsStream("report.html")) {
      return new String(Objects.requireNonNull(page).readAllBytes(), StandardCharsets.UTF_8)
          .replace("{{data}}", JSON.writeValueAsString(data).replace("<", "\\u003c"));
    }
  }

  private static Map<String, ?> described(Experiment of) {
    Map<String, String> ways =
        of.ways().stream().collect(Collectors.toMap(w -> w.name(), w -> w.description()));
    return Map.of(
        "name", of.name(), "description", of.description(), "unit", of.unit(), "ways", ways);
  }

  /** Returns all figures of an experiment. */
  static String table(Experiment of, List<Measurement> ways) {
    StringBuilder text = new StringBuilder(of.name() + ": " + of.description() + "\n");
    for (Measurement way : ways) {
      boolean late = of.unit() == Unit.LATE;
      text.append("  %-14s %11s".formatted(way.way(), millis(way.millis())))
          .append("%9s round trips".formatted(count(way.roundTrips())))
          .append("%9s commands %11s  ".formatted(count(way.commands()), bytes(way.bytes())))
          .append(late ? digits(100 * way.factor()) + " % late\n" : digits(way.factor()) + "x\n");
    }
    return text.toString();
  }

  static String millis(double millis) {
    return digits(millis) + " ms";
  }

  static String count(@Nullable Number count) {
    return count == null ? "-" : String.format(Locale.ROOT, "%,d", count);
  }

  static String bytes(@Nullable Long bytes) {
    return bytes == null ? "-" : digits(bytes / 1_024.0) + " KiB";
  }

  /** Rounds to three significant digits, the same in every locale. */
  private static String digits(double value) {
    String format = value >= 99.95 ? "%,.0f" : value >= 9.995 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
