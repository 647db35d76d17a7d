package dev.sheaf.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
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
 * What an operation costs beside time, which the noise of a machine touches less: commands and
 * socket reads of the server, processor time of both sides.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -prof dev.sheaf.benchmarks.ServerCostProfiler
 * }</pre>
 */
public final class ServerCostProfiler implements InternalProfiler {

  static final String COMMANDS_PER_READ = "server.commands.per.read";
  static final String COMMANDS_PER_OPERATION = "server.commands.per.op";
  static final String READS_PER_OPERATION = "server.reads.per.op";
  static final String SERVER_CPU = "server.cpu.per.op";
  static final String CLIENT_CPU = "client.cpu.per.op";

  private static volatile @Nullable String watched;

  private final OperatingSystemMXBean process =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private @Nullable ServerCounters before;
  private long clientCpuBefore;

  /** Names the server whose costs count from now on. */
  static void watch(String uri) {
    watched = uri;
  }

  static void unwatch() {
    watched = null;
  }

  @Override
  public String getDescription() {
    return "Commands, socket reads and processor time of server and client for each operation";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    String uri = watched;
    before = uri == null ? null : ServerCounters.ask(uri);
    clientCpuBefore = process.getProcessCpuTime();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    String uri = watched;
    ServerCounters start = before;
    long operations = result.getMetadata().getAllOps();
    if (uri == null || start == null || operations == 0) {
      return List.of();
    }
    double clientCpuMicros = (process.getProcessCpuTime() - clientCpuBefore) / 1e3;
    ServerCounters spent = ServerCounters.ask(uri).minus(start);
    List<Result<?>> costs = new ArrayList<>();
    costs.add(cost(CLIENT_CPU, clientCpuMicros / operations, "us/op"));
    costs.add(cost(SERVER_CPU, (double) spent.cpuMicros() / operations, "us/op"));
    costs.add(cost(COMMANDS_PER_OPERATION, (double) spent.commands() / operations, "commands/op"));
    if (spent.reads() > 0) {
      costs.add(cost(READS_PER_OPERATION, (double) spent.reads() / operations, "reads/op"));
      costs.add(
          cost(COMMANDS_PER_READ, (double) spent.commands() / spent.reads(), "commands/read"));
    }
    return costs;
  }

  private static Result<?> cost(String name, double value, String unit) {
    return new ScalarResult(name, value, unit, AggregationPolicy.AVG);
  }
}
