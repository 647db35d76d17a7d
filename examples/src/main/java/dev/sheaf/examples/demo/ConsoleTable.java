package dev.sheaf.examples.demo;

import java.util.ArrayList;
import java.util.List;

/** The measurements as one table of plain characters, figures aligned to the right. */
final class ConsoleTable {

  private static final List<String> HEADERS =
      List.of("experiment", "way", "time", "round trips", "commands", "bytes", "factor");

  /** The first columns are names and stand on the left. */
  private static final int NAME_COLUMNS = 2;

  private static final String GAP = "  ";

  private ConsoleTable() {}

  static String of(List<Measurement> measurements) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADERS);
    String experiment = "";
    for (Measurement measurement : measurements) {
      boolean repeated = measurement.experiment().equals(experiment);
      experiment = measurement.experiment();
      rows.add(row(measurement, repeated ? "" : experiment));
    }
    return format(rows);
  }

  private static List<String> row(Measurement measurement, String experiment) {
    Counts counts = measurement.counts();
    return List.of(
        experiment,
        measurement.way(),
        Figures.millis(measurement.millis()),
        Figures.count(counts.roundTrips()),
        Figures.count(counts.commands()),
        Figures.bytes(counts.bytes()),
        measurement.shownFactor());
  }

  private static String format(List<List<String>> rows) {
    int[] widths = new int[HEADERS.size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder table = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      boolean newExperiment = !rows.get(i).get(0).isEmpty();
      if (i == 1 || (i > 1 && newExperiment)) {
        appendRule(table, widths);
      }
      appendRow(table, rows.get(i), widths);
    }
    return table.toString();
  }

  private static void appendRow(StringBuilder table, List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - row.get(i).length());
      line.append(i == 0 ? "" : GAP);
      line.append(i < NAME_COLUMNS ? row.get(i) + padding : padding + row.get(i));
    }
    table.append(line.toString().stripTrailing()).append('\n');
  }

  private static void appendRule(StringBuilder table, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      table.append(i == 0 ? "" : GAP).append("-".repeat(widths[i]));
    }
    table.append('\n');
  }
}
