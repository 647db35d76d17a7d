package dev.sheaf.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/**
 * How many GETs a second do threads get that each wait for their value?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -t 64 -p server=STANDALONE -f 3
 * }</pre>
 *
 * What a call allocates, beside a call of Lettuce:
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -p server=STANDALONE -p client=LETTUCE,SHEAF -prof gc
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class BlockingGetBenchmark extends ConnectedClient {

  /** What the client is connected to. */
  @Param({"STANDALONE", "CLUSTER"})
  public ServerKind server = ServerKind.STANDALONE;

  @Override
  protected ServerKind serverKind() {
    return server;
  }

  /** One GET of a random key. */
  @Benchmark
  public String get() {
    int index = Dataset.randomIndex();
    return Dataset.check(index, rival().get(Dataset.key(index)));
  }
}
