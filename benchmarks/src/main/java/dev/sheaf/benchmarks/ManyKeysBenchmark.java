package dev.sheaf.benchmarks;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/**
 * How long does one thread wait for a page of values?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar ManyKeys -p server=CLUSTER -p way=MANY_KEY_CALL -f 3
 * java -jar benchmarks/target/benchmarks.jar ManyKeys -p server=DISTANT -p roundTripMicros=200,5000
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ManyKeysBenchmark extends ConnectedClient {

  static final int KEYS_AT_ONCE = 100;

  /** What the client is connected to. */
  @Param({"STANDALONE", "CLUSTER"})
  public ServerKind server = ServerKind.STANDALONE;

  /** How many keys there are on a page. */
  @Param("100")
  public int keys = KEYS_AT_ONCE;

  /** How the keys lie in a cluster. */
  @Param("SCATTERED")
  public Layout layout = Layout.SCATTERED;

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

  /** The values of a page of random keys. */
  @Benchmark
  public @Nullable String[] read() {
    int[] indexes = Dataset.randomIndexes(keys, layout.keys());
    String[] names = new String[keys];
    for (int i = 0; i < keys; i++) {
      names[i] = layout.key(indexes[i]);
    }
    return Dataset.check(indexes, rival().read(way, names));
  }
}
