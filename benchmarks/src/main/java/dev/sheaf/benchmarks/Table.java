package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The answers to one question as a Markdown table that is also readable as it stands. */
final class Table {

  private static final Map<Cost, String> COST_HEADINGS = new EnumMap<>(Cost.class);

  static {
    COST_HEADINGS.put(Cost.COMMANDS_PER_READ, "commands per server read");
    COST_HEADINGS.put(Cost.COMMANDS, "commands");
    COST_HEADINGS.put(Cost.SERVER_READS, "server reads");
    COST_HEADINGS.put(Cost.SERVER_CPU, "server CPU us");
    COST_HEADINGS.put(Cost.CLIENT_CPU, "client CPU us");
    COST_HEADINGS.put(Cost.CLIENT_ALLOCATION, "client bytes allocated");
  }

  private final List<Answers.Answer> answers;

  Table(List<Answers.Answer> answers) {
    this.answers = answers;
  }

  String markdown() {
    List<List<String>> rows = new ArrayList<>();
    rows.add(headings());
    answers.forEach(answer -> rows.add(row(answer)));
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
    headings.addAll(COST_HEADINGS.values());
    return headings;
  }

  private static List<String> row(Answers.Answer answer) {
    List<String> row = new ArrayList<>();
    row.add(answer.contender().label());
    row.add(Numbers.rounded(answer.score()));
    row.add(Numbers.rounded(answer.ratio()));
    row.add(
        Numbers.rounded(Numbers.smallest(answer.ratios()))
            + ", "
            + Numbers.rounded(Numbers.largest(answer.ratios())));
    for (Cost cost : COST_HEADINGS.keySet()) {
      Double amount = answer.costs().get(cost);
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
