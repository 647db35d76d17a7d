package dev.sheaf.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * How many GETs a second do virtual threads get that each wait for their value? Needs JDK 21.
 *
 * <p>One invocation starts the threads, lets each read its share of {@value #GETS} keys, one after
 * the other, and waits for them.
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar VirtualThreadGet -p virtualThreads=1000 -f 3
 * }</pre>
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
public class VirtualThreadGetBenchmark extends ConnectedClient {

  static final int GETS = 64_000;

  /** How many virtual threads read at once. */
  @Param({"64", "1000"})
  public int virtualThreads = 64;

  private @Nullable ExecutorService executor;

  @Override
  protected ServerKind serverKind() {
    return ServerKind.STANDALONE;
  }

  @Override
  protected int threads(BenchmarkParams params) {
    return virtualThreads;
  }

  @Override
  protected void checkParameters() {
    VirtualThreads.require();
    if (GETS % virtualThreads != 0) {
      throw new IllegalArgumentException(
          "virtualThreads must divide " + GETS + ", but was " + virtualThreads);
    }
  }

  /** Makes the executor. */
  @Setup(Level.Trial)
  public void open() {
    executor = VirtualThreads.newExecutor();
  }

  /** Ends the executor. */
  @TearDown(Level.Trial)
  public void end() {
    if (executor != null) {
      executor.shutdownNow();
    }
  }

  /** {@value #GETS} GETs of random keys, shared among the virtual threads. */
  @Benchmark
  @OperationsPerInvocation(GETS)
  public int get() throws InterruptedException, ExecutionException {
    ExecutorService running = executor;
    if (running == null) {
      throw new IllegalStateException("JMH has not set up the trial");
    }
    List<Future<Integer>> readers = new ArrayList<>(virtualThreads);
    for (int i = 0; i < virtualThreads; i++) {
      readers.add(running.submit(() -> read(GETS / virtualThreads)));
    }
    int bytes = 0;
    for (Future<Integer> reader : readers) {
      bytes += reader.get();
    }
    return bytes;
  }

  private int read(int gets) {
    int bytes = 0;
    for (int i = 0; i < gets; i++) {
      int index = Dataset.randomIndex();
      bytes += Dataset.check(index, rival().get(Dataset.key(index))).length();
    }
    return bytes;
  }
}
