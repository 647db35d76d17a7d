package dev.sheaf.benchmarks.jmh;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.benchmarks.servers.Dataset;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does it cost to ask before each read whether Redis can be used, while the answer is known,
 * and what does a read-through add to a GET of a key that is there?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar Availability -f 3 -prof gc
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
public class AvailabilityBenchmark {

  private static final Duration TTL = Duration.ofMinutes(10);

  private @Nullable Servers servers;
  private @Nullable Sheaf<String, String> sheaf;
  private @Nullable Availability<String> availability;

  /** Connects, and waits for the first answer. */
  @Setup
  public void connect() {
    Quiet.logging();
    Servers opened = Servers.open(ServerKind.STANDALONE);
    servers = opened;
    Sheaf<String, String> connected =
        Sheaf.builder(opened.uri()).availability(AvailabilityOptions.defaults()).connect();
    sheaf = connected;
    availability = connected.availability();
    connected.availability().withTimeout(Duration.ofSeconds(10)).ping();
  }

  /** Of Redis as a whole. */
  @Benchmark
  public boolean isAvailable() {
    return requireYes(Objects.requireNonNull(availability).isAvailable());
  }

  /** Of the node of a random key. */
  @Benchmark
  public boolean isAvailableForKey() {
    String key = Dataset.SMALL.key(Dataset.SMALL.randomIndex());
    return requireYes(Objects.requireNonNull(availability).isAvailable(key));
  }

  private static boolean requireYes(boolean answer) {
    if (!answer) {
      throw new IllegalStateException("The server is not available; other costs were measured");
    }
    return true;
  }

  /** What a read-through is compared with. */
  @Benchmark
  public String get() {
    int index = Dataset.SMALL.randomIndex();
    String key = Dataset.SMALL.key(index);
    return Dataset.SMALL.check(index, Objects.requireNonNull(sheaf).sync().get(key));
  }

  /** A key that is there, through the read-through. */
  @Benchmark
  public String readThroughHit() {
    int index = Dataset.SMALL.randomIndex();
    String key = Dataset.SMALL.key(index);
    return Dataset.SMALL.check(
        index, Objects.requireNonNull(sheaf).readThrough(key, TTL, AvailabilityBenchmark::missing));
  }

  private static @Nullable String missing(String key) {
    throw new IllegalStateException(key + " was not in Redis; no hit was measured");
  }

  /** Disconnects. */
  @TearDown
  public void disconnect() {
    if (sheaf != null) {
      sheaf.close();
    }
    if (servers != null) {
      servers.close();
    }
  }
}
