package dev.sheaf.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts every question to every rival, several rounds long, one rival after the other, so that what
 * disturbs the machine for a while disturbs all of them.
 */
final class Comparison {

  /** What servers stand for: one of a kind at a distance. */
  private record Place(ServerKind kind, int roundTripMicros) {

    static Place of(Question question) {
      return new Place(question.server(), question.roundTripMicros());
    }
  }

  private final CompareOptions options;
  private final PrintStream console;
  private final Map<Place, Servers> servers = new LinkedHashMap<>();

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
    questions.forEach(
        question ->
            answers.put(
                question,
                new Answers(
                    question.contenders().stream().map(Question.Contender::label).toList())));
    try {
      for (Question question : questions) {
        openServers(Place.of(question));
      }
      for (int round = 0; round < options.rounds(); round++) {
        for (Map.Entry<Question, Answers> entry : answers.entrySet()) {
          put(entry.getKey(), round, entry.getValue(), logs);
        }
        // A run of hours that is broken off keeps its rounds.
        save(before, start, answers);
      }
    } finally {
      servers.values().forEach(Servers::close);
    }
    ResultFile found = save(before, start, answers);
    new Report(List.of(found)).write(options.out(), "results", console);
  }

  private ResultFile save(Environment before, long start, Map<Question, Answers> answers) {
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    ResultFile found =
        new ResultFile(facts(before, took), answers.entrySet().stream().map(this::asked).toList());
    found.write(options.out().resolve("results.json"));
    return found;
  }

  private Map<String, String> facts(Environment before, Duration took) {
    Map<String, String> facts = new LinkedHashMap<>(before.facts());
    String glide = GlideRival.absence();
    if (glide != null) {
      facts.put("Left out", glide);
    }
    facts.put("Load after", Environment.loadAverage());
    facts.put("Took", took.toSeconds() + " s");
    facts.put("Command", options.command());
    return facts;
  }

  private ResultFile.Asked asked(Map.Entry<Question, Answers> entry) {
    Question question = entry.getKey();
    return new ResultFile.Asked(
        question.name(), question.text(), question.timing(options), entry.getValue().lines());
  }

  private List<Question> questions() {
    if (!VirtualThreads.areAvailable()) {
      console.println(VirtualThreads.unavailable());
    }
    String glide = GlideRival.absence();
    if (glide != null) {
      console.println(glide);
    }
    List<Question> chosen =
        Question.all().stream()
            .filter(question -> options.asks(question.name()))
            .filter(question -> question.quick() || !options.mainOnly())
            .map(question -> question.limitedTo(options))
            .toList();
    if (chosen.isEmpty()) {
      throw new ComparisonException(
          "--only names none of the questions: "
              + Question.all().stream()
                  .filter(question -> question.quick() || !options.mainOnly())
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

  private void openServers(Place place) {
    if (!servers.containsKey(place)) {
      servers.put(place, Servers.open(place.kind(), place.roundTripMicros()));
    }
  }

  private void put(Question question, int round, Answers answers, Path logs) {
    List<Question.Contender> contenders = question.contenders();
    for (int i = 0; i < contenders.size(); i++) {
      // Another one begins each round, so that nobody always follows the same rival.
      Question.Contender contender = contenders.get((i + round) % contenders.size());
      Measurement run =
          question
              .run(options, contender, uri(Place.of(question)))
              .measure(logs.resolve(logName(question, contender, round)));
      answers.add(contender.label(), run);
      console.printf(
          "round %d  %-24s %-45s %s%n", round + 1, question.name(), contender.label(), run);
    }
  }

  private static String logName(Question question, Question.Contender contender, int round) {
    return question.name() + "-" + contender.label().replace(' ', '-') + "-" + round + ".log";
  }

  private String uri(Place place) {
    Servers open = servers.get(place);
    if (open == null) {
      throw new IllegalStateException("No server was opened for " + place);
    }
    return open.uri();
  }
}
