package dev.sheaf.benchmarks;

import dev.sheaf.availability.Availability;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;

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

  private @Nullable Availability<String> availability;

  /** Begins to watch. */
  @Setup(Level.Trial)
  public void watch() {
    availability = sheaf().availability();
  }

  private Availability<String> availability() {
    Availability<String> watching = availability;
    if (watching == null) {
      throw new IllegalStateException("JMH has not set up the trial");
    }
    return watching;
  }

  /** Of Redis as a whole. */
  @Benchmark
  public boolean isAvailable() {
    return requireYes(availability().isAvailable());
  }

  /** Of the node of a random key. */
  @Benchmark
  public boolean isAvailableForKey() {
    return requireYes(availability().isAvailable(Dataset.key(Dataset.randomIndex())));
  }

  private static boolean requireYes(boolean answer) {
    if (!answer) {
      throw new IllegalStateException("The server is not available; other costs were measured");
    }
    return true;
  }
}
