package dev.sheaf.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What came of a comparison, for people (Markdown) and for programs (JSON). */
final class Report {

  private final CompareOptions options;
  private final Map<String, String> facts;
  private final boolean busy;
  private final Map<Question, Answers> answers;

  Report(
      CompareOptions options,
      Environment environment,
      String loadAfter,
      Duration took,
      Map<Question, Answers> answers) {
    this.options = options;
    this.answers = answers;
    this.busy = environment.isBusy();
    this.facts = new LinkedHashMap<>(environment.facts());
    facts.put("Load after", loadAfter);
    facts.put("Took", took.toSeconds() + " s");
    facts.put("Command", command());
    facts.put("Each run", eachRun());
  }

  private String command() {
    StringBuilder command =
        new StringBuilder("java -jar benchmarks/target/benchmarks.jar compare --rounds ")
            .append(options.rounds());
    if (options.quick()) {
      command.append(" --quick");
    }
    if (options.forks() > 1) {
      command.append(" --forks ").append(options.forks());
    }
    if (!options.only().isEmpty()) {
      command.append(" --only ").append(String.join(",", options.only()));
    }
    if (options.clients().size() < Client.values().length) {
      command.append(" --clients ");
      command.append(String.join(",", options.clients().stream().map(Client::name).toList()));
    }
    return command.toString();
  }

  private String eachRun() {
    return options.forks() + " JVM, " + Timing.describe(options);
  }

  /**
   * Prints the tables, and writes {@code results.md} and {@code results.json}.
   *
   * @throws ComparisonException if the files cannot be written
   */
  void write(PrintStream console) {
    String markdown = markdown();
    console.println();
    console.println(markdown);
    try {
      Path text = options.out().resolve("results.md");
      Path data = options.out().resolve("results.json");
      Files.writeString(text, markdown);
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .writeValue(data.toFile(), json());
      console.println("Written to " + text + " and " + data);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write the results: " + e.getMessage(), e);
    }
  }

  String markdown() {
    StringBuilder page = new StringBuilder("# Results\n\n");
    facts.forEach(
        (name, value) -> page.append("- ").append(name).append(": ").append(value).append('\n'));
    if (busy) {
      page.append(
          """

          **The machine was busy with other work when this began (see the load). Times and ratios
          below are no basis for conclusions; repeat them on a quiet machine.**
          """);
    }
    page.append(
        """

        A ratio says how many times as fast as the first line of its table a rival was, by the
        median of the rounds, with the smallest and largest round after it. Above 1 is faster.
        """);
    answers.forEach(
        (question, answer) -> {
          page.append("\n## ").append(question.text()).append(" (").append(question.name());
          page.append(")\n\n").append(new Table(answer.lines()).markdown());
        });
    page.append(targets());
    return page.toString();
  }

  private String targets() {
    StringBuilder verdicts = new StringBuilder();
    answers.forEach(
        (question, answer) -> {
          for (Answers.Answer line : answer.lines()) {
            Target.ALL.stream()
                .filter(target -> target.question().equals(question.name()))
                .filter(target -> target.contender().equals(line.contender()))
                .forEach(t -> verdicts.append(t.verdict(line.ratio())).append('\n'));
          }
        });
    return verdicts.isEmpty() ? "" : "\n## Targets\n\n" + verdicts;
  }

  private Map<String, Object> json() {
    List<Object> questions = new ArrayList<>();
    answers.forEach((question, answer) -> questions.add(json(question, answer)));
    return Map.of("environment", facts, "questions", questions);
  }

  private static Map<String, Object> json(Question question, Answers answers) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("name", question.name());
    json.put("text", question.text());
    json.put("benchmark", question.benchmark());
    json.put("threads", question.threads());
    json.put("parameters", question.parameters());
    json.put("answers", answers.lines().stream().map(Report::json).toList());
    return json;
  }

  private static Map<String, Object> json(Answers.Answer answer) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("rival", answer.contender().label());
    json.put("unit", answer.unit());
    json.put("score", answer.score());
    json.put("scores", answer.scores());
    json.put("ratio", answer.ratio());
    json.put("ratios", answer.ratios());
    Map<String, Double> costs = new LinkedHashMap<>();
    answer.costs().forEach((cost, amount) -> costs.put(cost.label() + " " + cost.unit(), amount));
    json.put("costs", costs);
    return json;
  }
}
