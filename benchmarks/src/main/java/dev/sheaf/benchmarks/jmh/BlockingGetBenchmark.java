package dev.sheaf.benchmarks.jmh;

import dev.sheaf.benchmarks.rivals.Client;
import dev.sheaf.benchmarks.rivals.Rival;
import dev.sheaf.benchmarks.servers.Dataset;
import dev.sheaf.benchmarks.servers.Quiet;
import dev.sheaf.benchmarks.servers.ServerKind;
import dev.sheaf.benchmarks.servers.Servers;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * Blocking GETs of one client, to look into with JMH's profilers. The comparison has the rates.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar BlockingGet -t 64 -f 3 -p client=SHEAF -prof gc
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@State(Scope.Benchmark)
public class BlockingGetBenchmark {

  /** The measured client. */
  @Param({"LETTUCE", "JEDIS", "REDISSON", "GLIDE", "SHEAF", "SHEAF_YIELDING"})
  public Client client = Client.LETTUCE;

  /** What the client is connected to. */
  @Param({"STANDALONE", "CLUSTER"})
  public ServerKind server = ServerKind.STANDALONE;

  private @Nullable Servers servers;
  private @Nullable Rival rival;

  /** Connects. */
  @Setup
  public void connect(BenchmarkParams params) {
    Quiet.logging();
    Servers opened = Servers.open(server);
    servers = opened;
    rival = client.connect(server, opened.uri(), params.getThreads());
  }

  /** One GET of a random key. */
  @Benchmark
  public String get() {
    int index = Dataset.SMALL.randomIndex();
    Rival connected = Objects.requireNonNull(rival);
    return Dataset.SMALL.check(index, connected.get(Dataset.SMALL.key(index)));
  }

  /** Disconnects. */
  @TearDown
  public void disconnect() {
    if (rival != null) {
      rival.close();
    }
    if (servers != null) {
      servers.close();
    }
  }
}
