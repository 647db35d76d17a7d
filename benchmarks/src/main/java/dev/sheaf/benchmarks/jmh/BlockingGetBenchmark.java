// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.sheaf.Sheaf;
import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.rivals.Rival;
import dev.sheaf.benchmarks.rivals.SheafRival;
import dev.sheaf.benchmarks.servers.Dataset;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Blocking GETs of one client, for JMH's profilers. The comparison has the rates.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -t 64 -f 3 -p client=SHEAF -prof gc
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -f 3 -p client=SHEAF -p learning=false,true
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Benchmark)
public class BlockingGetBenchmark {

  private static final OperatingSystemMXBean JVM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** The measured client. */
  @Param({"LETTUCE", "JEDIS", "REDISSON", "GLIDE", "SHEAF", "SHEAF_YIELDING"})
  public Client client = Client.LETTUCE;

  /** The kind of server. */
  @Param({"STANDALONE", "CLUSTER"})
  public ServerKind server = ServerKind.STANDALONE;

  /** Whether Sheaf learns loops, of which there are none here. */
  @Param("false")
  public boolean learning;

  private final LongAdder reads = new LongAdder();
  private long cpuNanos;
  private @Nullable Servers servers;
  private @Nullable Rival rival;

  /** Connects. */
  @Setup
  public void connect(BenchmarkParams params) {
    Quiet.logging();
    Servers opened = Servers.open(server);
    servers = opened;
    rival =
        learning
            ? new SheafRival(Sheaf.builder(opened.uri()).learnLoops(true))
            : client.connect(server, opened.uri(), params.getThreads());
  }

  /** Resets the counters. */
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
    Rival connected = Objects.requireNonNull(rival);
    return Dataset.SMALL.check(index, connected.get(Dataset.SMALL.key(index)));
  }

  /** Reports the processor time of a read. */
  @TearDown(Level.Iteration)
  public void print() {
    double micros = (JVM.getProcessCpuTime() - cpuNanos) / 1e3;
    System.out.printf("%.3f us of CPU a read, ", micros / reads.sum());
  }

  /** Disconnects. */
  @TearDown
  public void disconnect() {
    if (rival != null) {
      rival.close();
    }
    if (servers != null) {
      servers.close();
    }
  }
}
