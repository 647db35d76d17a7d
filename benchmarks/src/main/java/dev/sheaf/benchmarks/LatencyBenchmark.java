package dev.sheaf.benchmarks;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/**
 * Does batching cost a second round trip where a round trip is 1.2 ms?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar Latency.hundredKeys -p way=FUTURES -f 3
 * java -jar benchmarks/target/benchmarks.jar Latency.get -p way=FUTURES -t 64 -f 3
 * }</pre>
 */
public class LatencyBenchmark extends ConnectedClient {

  /** How the hundred keys are read. */
  @Param public Way way = Way.FUTURES;

  @Override
  protected ServerKind serverKind() {
    return ServerKind.DISTANT;
  }

  /** The values of a hundred random keys: the wait of one thread. */
  @Benchmark
  @BenchmarkMode(Mode.AverageTime)
  @OutputTimeUnit(TimeUnit.MICROSECONDS)
  public @Nullable String[] hundredKeys() {
    ManyKeysBenchmark.requireWay(client, way, ServerKind.DISTANT);
    return ManyKeysBenchmark.readRandom(rival(), way);
  }

  /** One GET of a random key, whatever the {@link #way}: the throughput of waiting threads. */
  @Benchmark
  @BenchmarkMode(Mode.Throughput)
  @OutputTimeUnit(TimeUnit.SECONDS)
  public String get() {
    int index = Dataset.randomIndex();
    return Dataset.check(index, rival().get(Dataset.key(index)));
  }
}
