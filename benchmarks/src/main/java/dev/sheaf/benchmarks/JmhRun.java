package dev.sheaf.benchmarks;

import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** One question put to one rival once: a run of JMH in a JVM of its own. */
final class JmhRun implements Run {

  /** The same heap for all, so that none gains by what the machine has left. */
  static final String[] JVM_ARGUMENTS = {"-Xms1g", "-Xmx1g"};

  private final CompareOptions options;
  private final Question question;
  private final Question.Contender contender;
  private final String uri;

  JmhRun(CompareOptions options, Question question, Question.Contender contender, String uri) {
    this.options = options;
    this.question = question;
    this.contender = contender;
    this.uri = uri;
  }

  @Override
  public Measurement measure(Path log) {
    Collection<RunResult> results;
    try {
      results = new Runner(jmhOptions(log).build()).run();
    } catch (RunnerException e) {
      throw new ComparisonException(
          question.name() + " failed for " + contender.label() + "; see " + log, e);
    }
    if (results.size() != 1) {
      throw new ComparisonException(
          question.name() + " gave " + results.size() + " results instead of one; see " + log);
    }
    return measurement(results.iterator().next());
  }

  private ChainedOptionsBuilder jmhOptions(Path log) {
    Timing timing = Timing.of(options, question.threads());
    ChainedOptionsBuilder builder =
        new OptionsBuilder()
            .include("^" + Pattern.quote(question.benchmark()) + "$")
            .threads(question.threads())
            .forks(options.forks())
            .warmupIterations(timing.warmups())
            .warmupTime(TimeValue.milliseconds(timing.warmupMillis()))
            .measurementIterations(timing.measurements())
            .measurementTime(TimeValue.milliseconds(timing.measurementMillis()))
            .addProfiler(CostProfiler.class)
            .jvmArgs(JVM_ARGUMENTS)
            .jvmArgsAppend("-D" + question.server().property() + "=" + uri)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.NORMAL)
            .output(log.toString());
    question.parametersOf(contender).forEach(builder::param);
    return builder;
  }

  private static Measurement measurement(RunResult result) {
    Map<String, Double> costs = new LinkedHashMap<>();
    for (Cost cost : Cost.values()) {
      Result<?> found = result.getSecondaryResults().get(cost.label());
      if (found != null) {
        costs.put(cost.key(), found.getScore());
      }
    }
    return new Measurement(
        result.getPrimaryResult().getScore(),
        result.getPrimaryResult().getScoreUnit(),
        result.getParams().getMode() == Mode.Throughput,
        costs);
  }
}
