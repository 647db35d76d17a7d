package dev.sheaf.benchmarks;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/**
 * How long does one thread wait for {@value ManyKeysBenchmark#KEYS_AT_ONCE} values that it finds
 * through as many others?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar DependentReads -p way=SIDE_BY_SIDE -f 3
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class DependentReadsBenchmark extends ConnectedClient {

  /** What the client is connected to. */
  @Param("DISTANT")
  public ServerKind server = ServerKind.DISTANT;

  /** How the keys are read. */
  @Param public Way way = Way.LOOP;

  @Override
  protected ServerKind serverKind() {
    return server;
  }

  @Override
  protected void checkParameters() {
    ManyKeysBenchmark.requireWay(client, way, server);
  }

  /** The values that the values of random keys name. */
  @Benchmark
  public @Nullable String[] read() {
    int[] indexes = Dataset.randomIndexes(ManyKeysBenchmark.KEYS_AT_ONCE, Dataset.KEYS);
    String[] names = new String[indexes.length];
    for (int i = 0; i < names.length; i++) {
      names[i] = Dataset.key(indexes[i]);
      indexes[i] = Dataset.following(indexes[i]);
    }
    return Dataset.check(indexes, rival().readDependent(way, names));
  }
}
