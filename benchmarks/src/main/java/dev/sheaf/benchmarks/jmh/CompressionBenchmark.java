package dev.sheaf.benchmarks.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * What does one value cost to compress and to restore, and what of it is the envelope?
 *
 * <pre>{@code
 * java -Dsheaf.documents=documents -jar benchmarks/target/benchmarks.jar CompressionBenchmark
 * }</pre>
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Thread)
public class CompressionBenchmark {

  /** How it is compressed. */
  @Param({"BARE_SNAPPY", "SNAPPY", "LZ4", "ZSTD_1", "ZSTD_3"})
  public Compression compression = Compression.SNAPPY;

  /** The size of the value. */
  @Param("10240")
  public int bytes = 10_240;

  private byte[] value = {};
  private byte[] stored = {};

  /** Chooses the value. */
  @Setup
  public void prepare() {
    value = Documents.ofSize(bytes);
    compression.check(value);
    stored = compression.compress(value);
  }

  /** What a SET does. */
  @Benchmark
  public byte[] compress() {
    return compression.compress(value);
  }

  /** What a GET does. */
  @Benchmark
  public byte[] decompress() {
    return compression.decompress(stored);
  }
}
