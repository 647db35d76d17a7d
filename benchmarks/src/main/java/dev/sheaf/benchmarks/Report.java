package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What came of one or more runs, as a page with tables and plots. Rounds of the same question count
 * as one series if they were measured alike, on the same machine, commit and JVM.
 */
final class Report {

  private static final List<String> FACTS_OF_A_RUN =
      List.of("Date", "Load before", "Load after", "Took", "Command");
  private static final List<String> WHAT_MUST_AGREE =
      List.of("Commit", "Processor", "System", "JVM", "Server");

  private final List<ResultFile> runs;

  Report(List<ResultFile> runs) {
    this.runs = runs;
  }

  /**
   * Writes the page with its plots.
   *
   * @return what it says
   * @throws ComparisonException if the files cannot be written
   */
  String write(Path directory, String name) {
    Map<String, String> plots = new LinkedHashMap<>();
    String markdown = markdown(name, plots);
    try {
      Files.createDirectories(directory);
      for (Map.Entry<String, String> plot : plots.entrySet()) {
        Files.writeString(directory.resolve(plot.getKey()), plot.getValue());
      }
      Files.writeString(directory.resolve(name + ".md"), markdown);
      return markdown;
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the results: " + e.getMessage(), e);
    }
  }

  /**
   * Writes the page with its plots, and prints it.
   *
   * @throws ComparisonException if the files cannot be written
   */
  void print(Path directory, String name, PrintStream console) {
    console.println();
    console.println(write(directory, name));
    console.println("Written to " + directory.resolve(name + ".md"));
  }

  /** The page; the plots it shows are put into the map, by the names of their files. */
  String markdown(String name, Map<String, String> plots) {
    StringBuilder page = new StringBuilder("# Results\n");
    page.append(
        """

        A ratio says how many times as fast as the first line of its table a rival was, by the
        median of the rounds, with the smallest and largest round after it. Above 1 is faster.
        How this is measured, and what it cannot say: [METHOD.md](METHOD.md).
        """);
    int number = 0;
    for (List<ResultFile> group : groups()) {
      number++;
      String prefix = number == 1 ? name : name + "-" + number;
      append(page, group, prefix, plots);
    }
    return page.toString();
  }

  /** Runs that belong together, in the order of their first ones. */
  private List<List<ResultFile>> groups() {
    Map<List<String>, List<ResultFile>> groups = new LinkedHashMap<>();
    for (ResultFile run : runs) {
      List<String> key =
          WHAT_MUST_AGREE.stream()
              .map(fact -> run.environment().getOrDefault(fact, "unknown"))
              .toList();
      groups.computeIfAbsent(key, k -> new ArrayList<>()).add(run);
    }
    return List.copyOf(groups.values());
  }

  private static void append(
      StringBuilder page, List<ResultFile> group, String prefix, Map<String, String> plots) {
    page.append("\n## ").append(group.get(0).environment().getOrDefault("JVM", "Runs"));
    page.append("\n\n");
    appendFacts(page, group);
    List<ResultFile.Asked> questions = merged(group);
    String targets = new TargetTable(questions).markdownOfAsked();
    if (!targets.isEmpty()) {
      page.append("\n### Targets\n\n").append(targets);
    }
    for (Map.Entry<String, LinePlot> plot : Plots.of(questions, note(group)).entrySet()) {
      String file = prefix + "-" + plot.getKey() + ".svg";
      plots.put(file, plot.getValue().drawn());
      page.append("\n![").append(plot.getValue().title()).append("](").append(file).append(")\n");
    }
    for (ResultFile.Asked question : questions) {
      page.append("\n### ").append(question.text()).append(" (").append(question.name());
      page.append(")\n\n").append(question.timing()).append("\n\n");
      page.append(new Table(question.answers()).markdown());
    }
  }

  private static void appendFacts(StringBuilder page, List<ResultFile> group) {
    Set<String> common = new LinkedHashSet<>(group.get(0).environment().keySet());
    common.removeAll(FACTS_OF_A_RUN);
    for (String fact : common) {
      Set<String> values = new LinkedHashSet<>();
      group.forEach(run -> values.add(run.environment().getOrDefault(fact, "unknown")));
      page.append("- ").append(fact).append(": ").append(String.join("; ", values)).append('\n');
    }
    page.append("\n");
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("command", "date", "load before", "load after", "took"));
    for (ResultFile run : group) {
      Map<String, String> facts = run.environment();
      rows.add(
          List.of(
              "`" + facts.getOrDefault("Command", "unknown") + "`",
              facts.getOrDefault("Date", "unknown"),
              facts.getOrDefault("Load before", "unknown"),
              facts.getOrDefault("Load after", "unknown"),
              facts.getOrDefault("Took", "unknown")));
    }
    page.append(Table.markdown(rows));
    if (group.stream().anyMatch(run -> Environment.isBusy(run.environment()))) {
      page.append(
          """

          **The machine was busy when a run began (see the load). If that was anything but the end
          of a build, times and ratios below are no basis for conclusions.**
          """);
    }
  }

  private static String note(List<ResultFile> group) {
    Map<String, String> facts = group.get(0).environment();
    return "commit "
        + facts.getOrDefault("Commit", "unknown")
        + ", "
        + facts.getOrDefault("Date", "unknown")
        + ", "
        + facts.getOrDefault("Processor", "unknown");
  }

  /** Each question once, with the answers of all runs that were measured alike. */
  static List<ResultFile.Asked> merged(List<ResultFile> group) {
    Map<String, ResultFile.Asked> questions = new LinkedHashMap<>();
    for (ResultFile run : group) {
      for (ResultFile.Asked question : run.questions()) {
        questions.merge(question.name() + " " + question.timing(), question, Report::merged);
      }
    }
    return List.copyOf(questions.values());
  }

  private static ResultFile.Asked merged(ResultFile.Asked first, ResultFile.Asked second) {
    Map<String, Answer> answers = new LinkedHashMap<>();
    first.answers().forEach(answer -> answers.put(answer.rival(), answer));
    second.answers().forEach(answer -> answers.merge(answer.rival(), answer, Answer::and));
    return new ResultFile.Asked(
        first.name(), first.text(), first.timing(), List.copyOf(answers.values()));
  }
}
