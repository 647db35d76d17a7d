// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import dev.sheaf.Sheaf;
import dev.sheaf.availability.Availability;
import dev.sheaf.availability.AvailabilityOptions;
import dev.sheaf.benchmarks.servers.Dataset;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.time.Duration;
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
 * What does it cost to check before each read whether Redis can be used, while the answer is known,
 * and what does a read-through add to a GET of a cached key?
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

  private final Servers servers = Servers.open(ServerKind.STANDALONE);
  private final Sheaf<String, String> sheaf =
      Sheaf.builder(servers.uri()).availability(AvailabilityOptions.defaults()).connect();
  private final Availability<String> availability = sheaf.availability();

  /** Waits for the first answer. */
  @Setup
  public void ping() {
    Quiet.logging();
    availability.withTimeout(Duration.ofSeconds(10)).ping();
  }

  /** Checks Redis as a whole. */
  @Benchmark
  public boolean isAvailable() {
    return requireYes(availability.isAvailable());
  }

  /** Checks the node of a random key. */
  @Benchmark
  public boolean isAvailableForKey() {
    String key = Dataset.SMALL.key(Dataset.SMALL.randomIndex());
    return requireYes(availability.isAvailable(key));
  }

  private static boolean requireYes(boolean answer) {
    if (!answer) {
      throw new IllegalStateException("The server is not available; other costs were measured");
    }
    return true;
  }

  /** The plain GET that a read-through is compared with. */
  @Benchmark
  public String get() {
    int index = Dataset.SMALL.randomIndex();
    String key = Dataset.SMALL.key(index);
    return Dataset.SMALL.check(index, sheaf.sync().get(key));
  }

  /** A cached key, through the read-through. */
  @Benchmark
  public String readThroughHit() {
    int index = Dataset.SMALL.randomIndex();
    String key = Dataset.SMALL.key(index);
    return Dataset.SMALL.check(index, sheaf.readThrough(key, TTL, AvailabilityBenchmark::missing));
  }

  private static @Nullable String missing(String key) {
    throw new IllegalStateException(key + " was not in Redis; no hit was measured");
  }

  /** Disconnects. */
  @TearDown
  public void disconnect() {
    sheaf.close();
    servers.close();
  }
}
