package dev.sheaf.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
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

/**
 * The JVM of one rival, which carries out one {@link Order} after the other, each with a client
 * connected anew: code that an earlier one has compiled is the only thing that later ones find.
 *
 * <p>Reads orders as JSON, one in a line, and prints lines that begin with {@value #ANSWER} or
 * {@value #FAILURE}; what clients print stands between them. Ends with its input.
 */
final class Respondent {

  static final String ANSWER = "sheaf-answer ";
  static final String FAILURE = "sheaf-failure ";

  private static final ObjectMapper JSON = new ObjectMapper();

  private Respondent() {}

  /** Runs. */
  public static void main(String[] args) throws IOException {
    Quiet.logging();
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(answer(JSON.readValue(line, Order.class)));
      System.out.flush();
    }
    // Redisson and GLIDE leave threads behind that are no daemons.
    System.exit(0);
  }

  private static String answer(Order order) throws IOException {
    try {
      return ANSWER + JSON.writeValueAsString(measure(order));
    } catch (RunnerException | RuntimeException | LinkageError | InterruptedException e) {
      Throwable cause = root(e);
      String message = cause == e ? e.toString() : e + ", caused by " + cause;
      Files.writeString(
          Path.of(order.log()),
          message + System.lineSeparator(),
          StandardOpenOption.CREATE,
          StandardOpenOption.APPEND);
      return FAILURE + message.replaceAll("\\s+", " ");
    }
  }

  /** JMH hands on what a benchmark threw as suppressed. */
  private static Throwable root(Throwable failure) {
    Throwable root = failure;
    while (true) {
      Throwable deeper = root.getCause();
      if (deeper == null && root.getSuppressed().length > 0) {
        deeper = root.getSuppressed()[0];
      }
      if (deeper == null) {
        return root;
      }
      root = deeper;
    }
  }

  private static Measurement measure(Order order) throws RunnerException, InterruptedException {
    return order.benchmark().equals(GetLoad.class.getName())
        ? GetLoad.measure(order)
        : byJmh(order);
  }

  private static Measurement byJmh(Order order) throws RunnerException {
    System.setProperty(order.server().property(), order.uri());
    Timing timing = order.timing();
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + Pattern.quote(order.benchmark()) + "$")
            .threads(order.threads())
            // This JVM is the fork.
            .forks(0)
            .warmupIterations(timing.warmups())
            .warmupTime(TimeValue.milliseconds(timing.warmupMillis()))
            .measurementIterations(timing.measurements())
            .measurementTime(TimeValue.milliseconds(timing.measurementMillis()))
            .addProfiler(CostProfiler.class)
            .shouldFailOnError(true)
            .verbosity(VerboseMode.NORMAL)
            .output(order.log());
    order.parameters().forEach(options::param);
    Collection<RunResult> results = new Runner(options.build()).run();
    if (results.size() != 1) {
      throw new ComparisonException(
          order.benchmark() + " gave " + results.size() + " results instead of one");
    }
    return measurement(results.iterator().next());
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

  /** What a line says, if it is an answer. */
  static Measurement parse(String line) {
    try {
      return Objects.requireNonNull(
          JSON.readValue(line.substring(ANSWER.length()), Measurement.class));
    } catch (IOException e) {
      throw new ComparisonException("Cannot read an answer: " + e.getMessage(), e);
    }
  }

  /** An order as a line. */
  static String line(Order order) {
    try {
      return JSON.writeValueAsString(order);
    } catch (IOException e) {
      throw new ComparisonException("Cannot write an order: " + e.getMessage(), e);
    }
  }
}
