package dev.sheaf.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;

/**
 * What happens when many threads ask at once whether Redis answers?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar PingStorm -t 64 -f 3
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class PingStormBenchmark extends ConnectedClient {

  /** What the client is connected to. */
  @Param("STANDALONE")
  public ServerKind server = ServerKind.STANDALONE;

  @Override
  protected ServerKind serverKind() {
    return server;
  }

  @Override
  protected void checkParameters() {
    if (!client.pings()) {
      throw new UnsupportedOperationException(client + " has no PING; it is skipped");
    }
  }

  /** One PING, a command of its own or a shared one. */
  @Benchmark
  public void ping() {
    rival().ping();
  }
}
