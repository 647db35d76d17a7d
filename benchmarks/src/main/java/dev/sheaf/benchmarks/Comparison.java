package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts every question to every rival, several rounds long, one rival after the other, so that what
 * disturbs the machine for a while disturbs all of them.
 */
final class Comparison {

  private final CompareOptions options;
  private final PrintStream console;
  private final Map<ServerKind, Servers> servers = new EnumMap<>(ServerKind.class);

  Comparison(CompareOptions options, PrintStream console) {
    this.options = options;
    this.console = console;
  }

  /**
   * Runs and reports.
   *
   * @throws ComparisonException if a run fails or the results cannot be written
   */
  void run() {
    List<Question> questions = questions();
    Path logs = logDirectory();
    Environment before = Environment.observe();
    long start = System.nanoTime();
    Map<Question, Answers> answers = new LinkedHashMap<>();
    questions.forEach(question -> answers.put(question, new Answers(question.contenders())));
    try {
      for (Question question : questions) {
        openServers(question.server());
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (Map.Entry<Question, Answers> entry : answers.entrySet()) {
          put(entry.getKey(), round, entry.getValue(), logs);
        }
      }
    } finally {
      servers.values().forEach(Servers::close);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    new Report(options, before, Environment.loadAverage(), took, answers).write(console);
  }

  private List<Question> questions() {
    if (!VirtualThreads.areAvailable()) {
      console.println(VirtualThreads.unavailable());
    }
    List<Question> chosen =
        Question.all().stream()
            .filter(question -> options.asks(question.name()))
            .filter(question -> question.quick() || !options.quick())
            .map(question -> question.limitedTo(options))
            .toList();
    if (chosen.isEmpty()) {
      throw new ComparisonException(
          "--only names none of the questions: "
              + Question.all().stream()
                  .filter(question -> question.quick() || !options.quick())
                  .map(Question::name)
                  .toList());
    }
    return chosen;
  }

  private Path logDirectory() {
    try {
      return Files.createDirectories(options.out().resolve("jmh-logs"));
    } catch (IOException e) {
      throw new ComparisonException("Cannot make the directory " + options.out() + ": " + e, e);
    }
  }

  private void openServers(ServerKind kind) {
    if (!servers.containsKey(kind)) {
      servers.put(kind, Servers.open(kind));
    }
  }

  private void put(Question question, int round, Answers answers, Path logs) {
    List<Question.Contender> contenders = question.contenders();
    for (int i = 0; i < contenders.size(); i++) {
      // Another one begins each round, so that nobody always follows the same rival.
      Question.Contender contender = contenders.get((i + round) % contenders.size());
      Measurement run =
          new JmhRun(options, question, contender, uri(question.server()))
              .measure(logs.resolve(logName(question, contender, round)));
      answers.add(contender, run);
      console.printf(
          "round %d  %-24s %-45s %s%n", round + 1, question.name(), contender.label(), run);
    }
  }

  private static String logName(Question question, Question.Contender contender, int round) {
    return question.name() + "-" + contender.label().replace(' ', '-') + "-" + round + ".log";
  }

  private String uri(ServerKind kind) {
    Servers open = servers.get(kind);
    if (open == null) {
      throw new IllegalStateException("No server was opened for " + kind);
    }
    return open.uri();
  }
}
