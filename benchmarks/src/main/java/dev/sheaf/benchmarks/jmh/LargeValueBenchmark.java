// SPDX-License-Identifier: Apache-2.0
package dev.sheaf.benchmarks.jmh;

import dev.sheaf.Sheaf;
import dev.sheaf.compression.CompressionOptions;
import dev.sheaf.testkit.RealRedis;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long does a GET of 100 bytes take while four threads read compressed values of 1 MB, decoded
 * on the event loop, beside it, and by those who wait for them?
 *
 * <pre>{@code
 * java -jar benchmarks/target/benchmarks.jar LargeValue -f 1
 * }</pre>
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Benchmark)
public class LargeValueBenchmark {

  private static final int SMALL_BYTES = 100;
  private static final int LARGE_BYTES = 1_000_000;

  /** The threads that decode large values. */
  public enum Decoding {
    /** The thread that waits for the value. */
    CALLER,
    /** The client's own threads, the default. */
    DECODE_THREADS,
    /** The event loop. */
    EVENT_LOOP
  }

  /** The threads that decode large values. */
  @Param({"CALLER", "DECODE_THREADS", "EVENT_LOOP"})
  public Decoding decoding = Decoding.CALLER;

  private final RealRedis server = RealRedis.start();
  private @Nullable Sheaf<String, byte[]> sheaf;

  /** Stores a small and a large value. */
  @Setup
  public void connect() {
    CompressionOptions options = CompressionOptions.defaults();
    Sheaf<String, byte[]> connected =
        Sheaf.builder(server.uri())
            .codec(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE))
            .compression(
                decoding == Decoding.DECODE_THREADS
                    ? options
                    : options.toBuilder().offLoopBytes(Integer.MAX_VALUE).build())
            .connect();
    sheaf = connected;
    connected.sync().set("small", new byte[SMALL_BYTES]);
    connected.sync().set("large", Documents.ofSize(LARGE_BYTES));
  }

  /** The small read. */
  @Benchmark
  @Group("beside")
  @GroupThreads(1)
  public byte[] small() {
    return Objects.requireNonNull(sheaf).sync().get("small");
  }

  /** The large reads. */
  @Benchmark
  @Group("beside")
  @GroupThreads(4)
  public byte[] large() {
    Sheaf<String, byte[]> connected = Objects.requireNonNull(sheaf);
    return decoding == Decoding.CALLER
        ? connected.sync().get("large")
        : connected.async().get("large").toCompletableFuture().join();
  }

  /** Stops everything. */
  @TearDown
  public void close() {
    if (sheaf != null) {
      sheaf.close();
    }
    server.close();
  }
}
