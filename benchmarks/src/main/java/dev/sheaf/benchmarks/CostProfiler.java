package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * What an operation costs beside time, which the noise of a machine touches less.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -prof dev.sheaf.benchmarks.CostProfiler
 * }</pre>
 */
public final class CostProfiler implements InternalProfiler {

  /** The server of the trial under way. */
  private static volatile @Nullable String server;

  /** Taken at the end of the trial, while its server and its threads still live. */
  private static volatile @Nullable Expenses atEnd;

  private @Nullable Expenses before;

  static void trialBegins(String uri) {
    atEnd = null;
    server = uri;
  }

  static void trialEnds() {
    String uri = server;
    if (uri != null) {
      atEnd = Expenses.soFar(uri);
    }
  }

  @Override
  public String getDescription() {
    return "Commands, socket reads and processor time of server and client for each operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    String uri = server;
    before = uri == null ? null : Expenses.soFar(uri);
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    String uri = server;
    Expenses start = before;
    long operations = result.getMetadata().getAllOps();
    if (uri == null || start == null || operations == 0) {
      return List.of();
    }
    Expenses last = atEnd;
    Expenses end = last == null ? Expenses.soFar(uri) : last;
    List<Result<?>> costs = new ArrayList<>();
    end.since(start, operations)
        .forEach(
            (cost, amount) ->
                costs.add(
                    new ScalarResult(cost.label(), amount, cost.unit(), AggregationPolicy.AVG)));
    return costs;
  }
}
