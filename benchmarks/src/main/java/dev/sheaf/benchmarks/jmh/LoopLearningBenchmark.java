// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.sheaf.LoopLearning;
import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.servers.Dataset;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What it costs to learn loops where there is nothing to learn: blocking GETs of random keys. The
 * line after each iteration has the processor time that the JVM took for one of them.
 */
@BenchmarkMode(Mode.Throughput)
@State(Scope.Benchmark)
public class LoopLearningBenchmark {

  private static final OperatingSystemMXBean JVM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** Whether loops are learned. */
  @Param({"false", "true"})
  public boolean learning;

  private final Servers servers = Servers.open(ServerKind.STANDALONE);
  private final LongAdder reads = new LongAdder();
  private long cpuNanos;
  private @Nullable Sheaf<String, String> sheaf;

  /** Connects. */
  @Setup
  public void connect() {
    Quiet.logging();
    var builder = Sheaf.builder(servers.uri());
    sheaf = (learning ? builder.learnLoops(LoopLearning.defaults()) : builder).connect();
  }

  /** Counts anew. */
  @Setup(Level.Iteration)
  public void begin() {
    reads.reset();
    cpuNanos = JVM.getProcessCpuTime();
  }

  /** One GET of a random key. */
  @Benchmark
  public String get() {
    reads.increment();
    int index = Dataset.SMALL.randomIndex();
    Sheaf<String, String> connected = Objects.requireNonNull(sheaf);
    return Dataset.SMALL.check(index, connected.sync().get(Dataset.SMALL.key(index)));
  }

  /** Says what was counted. */
  @TearDown(Level.Iteration)
  public void print() {
    double micros = (JVM.getProcessCpuTime() - cpuNanos) / 1e3;
    System.out.printf("%.3f us of CPU a read, ", micros / reads.sum());
  }

  /** Disconnects. */
  @TearDown
  public void disconnect() {
    Objects.requireNonNull(sheaf).close();
    servers.close();
  }
}
