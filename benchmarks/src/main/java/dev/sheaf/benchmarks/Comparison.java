package dev.sheaf.benchmarks;

import dev.sheaf.benchmarks.Plan.Place;
import dev.sheaf.benchmarks.Plan.Sitting;
import dev.sheaf.benchmarks.Plan.Step;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Puts the questions of a plan. What was measured is kept after every JVM, so that a comparison
 * that is broken off loses no more than that; a rival that fails is left out from there on, and
 * named.
 */
final class Comparison {

  private final CompareOptions options;
  private final PrintStream console;
  private final Map<Place, Servers> servers = new LinkedHashMap<>();
  private final Map<Question, Answers> answers = new LinkedHashMap<>();

  /** What went wrong, by question and rival. */
  private final Map<String, String> leftOut = new LinkedHashMap<>();

  private final Environment environment;
  private final Progress progress;
  private final Plan plan;
  private final Path logs;

  Comparison(CompareOptions options, PrintStream console) {
    this.options = options;
    this.console = console;
    List<Question> questions = questions();
    for (Question question : questions) {
      List<String> labels = question.contenders().stream().map(Contender::label).toList();
      answers.put(question, new Answers(labels));
    }
    this.plan = new Plan(questions, options.scope());
    this.environment = Environment.observe();
    this.progress = new Progress(options.rounds() * plan.millisOfRound());
    this.logs = logDirectory();
  }

  /**
   * Runs and reports.
   *
   * @throws ComparisonException if nothing could be measured or the results cannot be written
   */
  void run() {
    int rounds = options.rounds();
    console.println("About " + progress.left() + (rounds == 1 ? "" : " for all rounds"));
    try {
      plan.places().forEach(place -> servers.put(place, open(place)));
      progress.begin();
      for (int round = 0; round < rounds; round++) {
        for (Sitting sitting : plan.round(round)) {
          hold(sitting, round);
          progress.done(Plan.STARTUP_MILLIS);
          report().write(options.out(), options.scope().fileName());
        }
      }
    } finally {
      servers.values().forEach(Servers::close);
    }
    report().print(options.out(), options.scope().fileName(), console);
    leftOut.forEach((what, why) -> console.println("Left out: " + what + ": " + why));
    if (answers.values().stream().allMatch(each -> each.lines().isEmpty())) {
      throw new ComparisonException("Nothing could be measured: " + leftOut);
    }
  }

  private Report report() {
    ResultFile found =
        new ResultFile(
            facts(),
            answers.entrySet().stream()
                .filter(entry -> !entry.getValue().lines().isEmpty())
                .map(this::asked)
                .toList());
    found.write(options.out().resolve(options.scope().fileName() + ".json"));
    return new Report(List.of(found));
  }

  private Map<String, String> facts() {
    Map<String, String> facts = new LinkedHashMap<>(environment.facts());
    if (answers.keySet().stream().anyMatch(Question::virtual)) {
      facts.put("JVM of virtual threads", VirtualThreads.version(options.virtualJdk()));
    }
    String glide = GlideRival.absence();
    if (glide != null) {
      facts.put("Left out", glide);
    }
    leftOut.forEach((what, why) -> facts.put("Left out: " + what, why));
    facts.put("Load after", Environment.loadAverage());
    facts.put("Took", Duration.ofNanos(progress.nanos()).toSeconds() + " s");
    facts.put("Command", options.command());
    return facts;
  }

  private ResultFile.Asked asked(Map.Entry<Question, Answers> entry) {
    Question question = entry.getKey();
    return new ResultFile.Asked(
        question.name(),
        question.text(),
        question.timing(options.scope()),
        entry.getValue().lines());
  }

  private List<Question> questions() {
    String glide = GlideRival.absence();
    if (glide != null) {
      console.println(glide);
    }
    List<Question> inScope =
        Question.all().stream()
            .map(question -> question.limitedTo(options))
            .filter(question -> !question.contenders().isEmpty())
            .toList();
    List<Question> asked =
        inScope.stream().filter(question -> options.asks(question.name())).toList();
    if (asked.isEmpty()) {
      throw new ComparisonException(
          "--only names none of the questions: " + inScope.stream().map(Question::name).toList());
    }
    if (VirtualThreads.areAvailable(options.virtualJdk())) {
      return asked;
    }
    List<Question> possible = asked.stream().filter(question -> !question.virtual()).toList();
    if (possible.size() < asked.size()) {
      console.println(VirtualThreads.unavailable());
    }
    return possible;
  }

  private Path logDirectory() {
    try {
      return Files.createDirectories(options.out().resolve("jmh-logs"));
    } catch (IOException e) {
      throw new ComparisonException("Cannot make the directory " + options.out() + ": " + e, e);
    }
  }

  private static Servers open(Place place) {
    return Servers.open(place.kind(), place.roundTripMicros());
  }

  private void hold(Sitting sitting, int round) {
    String uri = Objects.requireNonNull(servers.get(sitting.place())).uri();
    @Nullable RespondentProcess jvm = null;
    try {
      for (Step step : sitting.steps()) {
        String what = step.question().name() + ", " + step.contender().label();
        progress.done(step.millis());
        if (leftOut.containsKey(what)) {
          continue;
        }
        String name = what.replace(", ", "-").replace(' ', '-') + "-" + round + ".log";
        Path log = logs.resolve(name);
        try {
          if (jvm == null) {
            jvm = RespondentProcess.start(home(sitting), log);
          }
          Order order = step.question().order(step.contender(), uri, step.timing(), log);
          say(step, round, jvm.answer(order));
        } catch (ComparisonException e) {
          leftOut.put(what, e.getMessage() + "; see " + name);
          console.println("Left out from here on: " + what + ": " + leftOut.get(what));
          if (jvm != null) {
            // What failed may still be at work in there.
            jvm.close();
            jvm = null;
          }
        }
      }
    } finally {
      if (jvm != null) {
        jvm.close();
      }
    }
  }

  private void say(Step step, int round, Measurement found) {
    Objects.requireNonNull(answers.get(step.question())).add(step.contender().label(), found);
    console.printf(
        "round %d  %-24s %-32s %-18s %s left%n",
        round + 1, step.question().name(), step.contender().label(), found, progress.left());
  }

  private Path home(Sitting sitting) {
    return sitting.virtual() ? options.virtualJdk() : ChildJvm.ownHome();
  }
}
