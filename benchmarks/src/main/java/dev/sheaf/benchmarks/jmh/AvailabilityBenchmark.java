package dev.sheaf.benchmarks.jmh;

import dev.sheaf.benchmarks.servers.Dataset;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * What does it cost to ask before each read whether Redis can be used, while the answer is known?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar Availability -f 3 -prof gc
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AvailabilityBenchmark extends ConnectedSheaf {

  /** Of Redis as a whole. */
  @Benchmark
  public boolean isAvailable() {
    return requireYes(availability().isAvailable());
  }

  /** Of the node of a random key. */
  @Benchmark
  public boolean isAvailableForKey() {
    return requireYes(availability().isAvailable(Dataset.SMALL.key(Dataset.SMALL.randomIndex())));
  }

  private static boolean requireYes(boolean answer) {
    if (!answer) {
      throw new IllegalStateException("The server is not available; other costs were measured");
    }
    return true;
  }
}
