package dev.sheaf.benchmarks.jmh;

import dev.sheaf.benchmarks.servers.Dataset;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * What does a read-through add to a GET, while Redis holds the value?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar ReadThrough -f 5 -prof gc
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReadThroughBenchmark extends ConnectedSheaf {

  private static final Duration TTL = Duration.ofMinutes(10);

  /** What it is compared with. */
  @Benchmark
  public String get() {
    int index = Dataset.SMALL.randomIndex();
    return Dataset.SMALL.check(index, sheaf().sync().get(Dataset.SMALL.key(index)));
  }

  /** The same key, through the read-through. */
  @Benchmark
  public String hit() {
    int index = Dataset.SMALL.randomIndex();
    return Dataset.SMALL.check(
        index, sheaf().readThrough(Dataset.SMALL.key(index), TTL, ReadThroughBenchmark::missing));
  }

  private static @Nullable String missing(String key) {
    throw new IllegalStateException(key + " was not in Redis; no hit was measured");
  }
}
