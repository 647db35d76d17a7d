package dev.sheaf.benchmarks;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/**
 * How long does one thread wait for {@value #KEYS_AT_ONCE} values?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar ManyKeys -p server=CLUSTER -p way=MANY_KEY_CALL -f 3
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ManyKeysBenchmark extends ConnectedClient {

  static final int KEYS_AT_ONCE = 100;

  /** What the client is connected to. */
  @Param({"STANDALONE", "CLUSTER"})
  public ServerKind server = ServerKind.STANDALONE;

  /** How the keys are read. */
  @Param public Way way = Way.MANY_KEY_CALL;

  @Override
  protected ServerKind serverKind() {
    return server;
  }

  @Override
  protected void checkParameters() {
    requireWay(client, way, server);
  }

  static void requireWay(Client client, Way way, ServerKind server) {
    if (!client.offers(way, server)) {
      throw new UnsupportedOperationException(
          client + " has no " + way + " on " + server + "; this combination is skipped");
    }
  }

  /** The values of {@value #KEYS_AT_ONCE} random keys. */
  @Benchmark
  public @Nullable String[] read() {
    return readRandom(rival(), way);
  }

  static @Nullable String[] readRandom(Rival rival, Way way) {
    int[] indexes = Dataset.randomIndexes(KEYS_AT_ONCE);
    String[] keys = new String[KEYS_AT_ONCE];
    for (int i = 0; i < KEYS_AT_ONCE; i++) {
      keys[i] = Dataset.key(indexes[i]);
    }
    return Dataset.check(indexes, rival.getMany(way, keys));
  }
}
