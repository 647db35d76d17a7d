package dev.sheaf.benchmarks.compare;

import java.util.List;

/** Tables in Markdown that are also readable as they stand. */
final class Markdown {

  private Markdown() {}

  /** A table of rows, the first of them headings. */
  static String table(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder table = new StringBuilder();
    append(table, rows.get(0), widths);
    for (int i = 0; i < widths.length; i++) {
      table.append(i == 0 ? "|:" : "|-").append("-".repeat(widths[i])).append(i == 0 ? "-" : ":");
    }
    table.append("|\n");
    rows.subList(1, rows.size()).forEach(row -> append(table, row, widths));
    return table.toString();
  }

  /** The first column is text and begins at the left, numbers end at the right. */
  private static void append(StringBuilder table, List<String> row, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      String padding = " ".repeat(widths[i] - row.get(i).length());
      table.append("| ");
      table.append(i == 0 ? row.get(i) + padding : padding + row.get(i)).append(' ');
    }
    table.append("|\n");
  }
}
