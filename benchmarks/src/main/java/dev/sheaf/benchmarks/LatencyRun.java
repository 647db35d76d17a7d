package dev.sheaf.benchmarks;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A question about percentiles put to one rival once; the score is the 99th. */
final class LatencyRun implements Run {

  /** How the names of such questions begin. */
  static final String QUESTION = "latency-";

  static final int THREADS = 64;

  /** The parameter with the reads a second; 0 for as many as the threads get. */
  static final String RATE = "rate";

  static final List<String> PERCENTILES =
      List.of("p50 us", "p90 us", "p99 us", "p99.9 us", "max us");

  private static final String SCORE = "p99 us";

  private final CompareOptions options;
  private final Question question;
  private final Question.Contender contender;
  private final String uri;

  LatencyRun(CompareOptions options, Question question, Question.Contender contender, String uri) {
    this.options = options;
    this.question = question;
    this.contender = contender;
    this.uri = uri;
  }

  @Override
  public Measurement measure(Path log) {
    List<String> arguments =
        List.of(
            contender.client().name(),
            question.server().name(),
            uri,
            Integer.toString(THREADS),
            Objects.requireNonNull(question.parameters().get(RATE)),
            Integer.toString(warmUpSeconds(options)),
            Integer.toString(seconds(options)));
    try (LoadProcess load = LoadProcess.start(arguments, log)) {
      Map<String, Double> figures = new LinkedHashMap<>(load.measure());
      Double score = figures.remove(SCORE);
      figures.remove("reads");
      if (score == null) {
        throw new ComparisonException(question.name() + " gave no percentiles; see " + log);
      }
      // The percentile stands among the others, too.
      figures.put(SCORE, score);
      return new Measurement(score, SCORE, false, figures);
    }
  }

  static int warmUpSeconds(CompareOptions options) {
    return options.quick() ? 2 : 8;
  }

  static int seconds(CompareOptions options) {
    return options.quick() ? 2 : 5;
  }
}
