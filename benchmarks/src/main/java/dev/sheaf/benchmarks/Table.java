package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The answers to one question as a Markdown table that is also readable as it stands. */
final class Table {

  private final List<Answer> answers;

  /** The figures that at least one rival has, with their headings. */
  private final Map<String, String> figures = new LinkedHashMap<>();

  Table(List<Answer> answers) {
    this.answers = answers;
    for (Cost cost : Cost.values()) {
      if (answers.stream().anyMatch(answer -> answer.costs().containsKey(cost.key()))) {
        figures.put(cost.key(), cost.heading());
      }
    }
    for (Answer answer : answers) {
      answer.costs().keySet().forEach(name -> figures.putIfAbsent(name, name));
    }
    // It stands in the second column already.
    figures.remove(answers.get(0).unit());
  }

  String markdown() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(headings());
    answers.forEach(answer -> rows.add(row(answer)));
    return markdown(rows);
  }

  /** Rows, the first of them headings, as a table. */
  static String markdown(List<List<String>> rows) {
    int[] widths = widths(rows);
    StringBuilder table = new StringBuilder();
    append(table, rows.get(0), widths);
    appendRule(table, widths);
    rows.subList(1, rows.size()).forEach(row -> append(table, row, widths));
    return table.toString();
  }

  private List<String> headings() {
    List<String> headings = new ArrayList<>();
    headings.add("rival");
    headings.add(answers.get(0).unit());
    headings.add("ratio");
    headings.add("from, to");
    headings.addAll(figures.values());
    return headings;
  }

  private List<String> row(Answer answer) {
    List<String> row = new ArrayList<>();
    row.add(answer.rival());
    row.add(Numbers.rounded(answer.score()));
    if (answer.ratios().isEmpty()) {
      row.addAll(List.of("-", "-"));
    } else {
      row.add(Numbers.rounded(answer.ratio()));
      row.add(
          Numbers.rounded(Numbers.smallest(answer.ratios()))
              + ", "
              + Numbers.rounded(Numbers.largest(answer.ratios())));
    }
    for (String name : figures.keySet()) {
      Double amount = answer.cost(name);
      row.add(amount == null ? "-" : Numbers.rounded(amount));
    }
    return row;
  }

  private static int[] widths(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    return widths;
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

  private static void appendRule(StringBuilder table, int[] widths) {
    for (int i = 0; i < widths.length; i++) {
      table.append(i == 0 ? "|:" : "|-").append("-".repeat(widths[i])).append(i == 0 ? "-" : ":");
    }
    table.append("|\n");
  }
}
